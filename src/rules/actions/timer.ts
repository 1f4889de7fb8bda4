// `timer`: commands a virtual timer.
import { Type } from "@sinclair/typebox";
import { invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { choice, deviceId, secs, YEAR_SECS } from "../model/fields.ts";

export const timer = defineAction({
  type: "timer",
  doc: "Starts, pauses, resumes, cancels or restarts a timer.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    device_id: deviceId,
    command: choice(["start", "pause", "resume", "cancel", "restart"], "The command"),
    duration_secs: Type.Optional(
      secs("With start: for how long; without it, as long as the last time", {
        minimum: 0.001,
        maximum: 10 * YEAR_SECS,
      }),
    ),
  }),
  check({ command, duration_secs }) {
    if (duration_secs !== undefined && command !== "start") {
      throw invalid("duration_secs", `is only for start; ${command} uses the time that the timer has: leave it out`);
    }
  },
  async run({ device_id, command, duration_secs }, { host, actor }) {
    await host.command(device_id, { command, ...(duration_secs === undefined ? {} : { duration_secs }) }, actor);
    return `${device_id} ${command}${duration_secs === undefined ? "" : ` ${duration_secs} s`}`;
  },
  example: { device_id: "kettle", command: "start", duration_secs: 240 },
});
