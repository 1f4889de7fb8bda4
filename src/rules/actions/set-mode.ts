// `set_mode`: turns a mode of the house on or off.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { checkOneOf } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const setMode = defineAction({
  type: "set_mode",
  doc: "Turns a mode on or off, or toggles it.",
  whenInterrupted: ({ toggle }) => (toggle ? "skip" : "repeat"),
  fields: () => ({
    mode_id: name("mode", "The id of the mode"),
    on: Type.Optional(Type.Boolean({ description: "On (true) or off (false)" })),
    toggle: Type.Optional(
      Type.Literal(true, { description: "true, instead of `on`: turns it off if it is on, and on if it is off" }),
    ),
  }),
  check: (spec) => checkOneOf(spec, ["on", "toggle"]),
  async run({ mode_id, on }, { host, actor }: ActionScope<"mode" | "command">) {
    const isOn = host.mode(mode_id);
    if (isOn === undefined) throw new HubError("not_found", `there is no mode "${mode_id}"; modes are in modes.toml`);
    const wanted = on ?? !isOn;
    await host.command(mode_id, { on: wanted }, actor);
    return `mode ${mode_id} ${wanted ? "on" : "off"}`;
  },
  example: { mode_id: "away", on: true },
});
