// `timer`: commands a virtual timer.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../define.ts";
import { choice, deviceId, secs, YEAR_SECS } from "../fields.ts";
import { refusal } from "../values.ts";

export const timer = defineAction({
  type: "timer",
  doc: "Starts, pauses, resumes, cancels or restarts a timer.",
  fields: () => ({
    device_id: deviceId,
    command: choice(["start", "pause", "resume", "cancel", "restart"], "What it is to do"),
    duration_secs: Type.Optional(
      secs("With start: for how long; as long as the last time when absent", {
        minimum: 0.001,
        maximum: 10 * YEAR_SECS,
      }),
    ),
  }),
  check({ command, duration_secs }) {
    if (duration_secs !== undefined && command !== "start") {
      throw refusal("duration_secs", `goes with start only; ${command} takes the time there is: leave it out`);
    }
  },
  async run({ device_id, command, duration_secs }, { host, actor }) {
    await host.command(device_id, { command, ...(duration_secs === undefined ? {} : { duration_secs }) }, actor);
    return `${device_id} ${command}${duration_secs === undefined ? "" : ` ${duration_secs} s`}`;
  },
  example: { device_id: "kettle", command: "start", duration_secs: 240 },
});
