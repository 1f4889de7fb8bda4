// `hub_variable_changed`: a variable gets another value. There is an event for every write, also for one without a change.
import { Type } from "@sinclair/typebox";
import { type Json, jsonEqual } from "../../kit/schema/json.ts";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";
import { json, text } from "../model/fields.ts";
import { matchesValue, showChoice } from "../model/values.ts";

export const hubVariableChanged = defineTrigger({
  type: "hub_variable_changed",
  doc: "A variable gets another value; without `name`, any variable. A new one was null before, and a removed one becomes null.",
  fields: {
    name: Type.Optional(text("The name of the variable")),
    to: Type.Optional(json("Only to this: a value, or a list of values")),
    from: Type.Optional(json("Only from this: a value, or a list of values")),
    every_write: Type.Optional(Type.Boolean({ description: "Fires also when the value that is written is the same" })),
  },
  label({ name, from, to }) {
    const moves = [
      from === undefined ? "" : ` from ${showChoice(from)}`,
      to === undefined ? "" : ` to ${showChoice(to)}`,
    ].join("");
    return `${name === undefined ? "any variable" : `variable ${name}`}${moves || " changes"}`;
  },
  contextKeys: ["name", "value", "previous"],
  interests: ({ name }) => [interestIn("hub_variable_changed", "name", name)],
  match({ name, to, from, every_write }, envelope) {
    const event = eventOf("hub_variable_changed", envelope);
    if (!event || (name !== undefined && name !== event.name)) return undefined;
    const value = (event.value ?? null) as Json;
    const previous = (event.previous_value ?? null) as Json;
    if ((!every_write && jsonEqual(value, previous)) || (to !== undefined && !matchesValue(value, to)))
      return undefined;
    if (from !== undefined && !matchesValue(previous, from)) return undefined;
    return { name: event.name, value, previous };
  },
  example: { name: "guests", from: 0, to: [1, 2], every_write: true },
});
