// `mode_changed`: a mode of the house goes on or off.
import { Type } from "@sinclair/typebox";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";
import { name } from "../model/fields.ts";

export const modeChanged = defineTrigger({
  type: "mode_changed",
  doc: "A mode goes on or off; without `mode_id`, any.",
  fields: {
    mode_id: Type.Optional(name("mode", "The id of the mode")),
    on: Type.Optional(Type.Boolean({ description: "Only when it goes on (true) or only when it goes off (false)" })),
  },
  label({ mode_id, on }) {
    const what = on === undefined ? "changes" : on ? "goes on" : "goes off";
    return `${mode_id === undefined ? "any mode" : `mode ${mode_id}`} ${what}`;
  },
  contextKeys: ["mode_id", "mode_name", "on"],
  interests: ({ mode_id }) => [interestIn("mode_changed", "mode_id", mode_id)],
  match({ mode_id, on }, envelope) {
    const event = eventOf("mode_changed", envelope);
    if (!event || (mode_id !== undefined && mode_id !== event.mode_id)) return undefined;
    if (on !== undefined && on !== event.on) return undefined;
    return { mode_id: event.mode_id, mode_name: event.mode_name, on: event.on };
  },
  example: { mode_id: "away", on: true },
});
