// `timer`: commands a virtual timer.
import { Type } from "@sinclair/typebox";
import { invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { choice, deviceId, secs, text, YEAR_SECS } from "../model/fields.ts";

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
    label: Type.Optional(text("With start: what it is for, which its attribute `label` then says", { maxLength: 200 })),
    repeat: Type.Optional(
      Type.Boolean({ description: "With start: it starts again at its end, until it is cancelled" }),
    ),
  }),
  check({ command, duration_secs, label, repeat }) {
    if (command === "start") return;
    if (duration_secs !== undefined)
      throw invalid("duration_secs", `is only for start; ${command} uses the time that the timer has: leave it out`);
    if (label !== undefined) throw invalid("label", "is only for start: leave it out");
    if (repeat !== undefined) throw invalid("repeat", "is only for start: leave it out");
  },
  async run({ device_id, command, duration_secs, label, repeat }, { host, actor }: ActionScope<"command">) {
    const settings = {
      ...(duration_secs !== undefined && { duration_secs }),
      ...(label !== undefined && { label }),
      ...(repeat !== undefined && { repeat }),
    };
    await host.command(device_id, { command, ...settings }, actor);
    return `${device_id} ${command}${duration_secs === undefined ? "" : ` ${duration_secs} s`}`;
  },
  example: { device_id: "kettle", command: "start", duration_secs: 240 },
});
