// `set_device_state`: sets the state of devices, or sends them a command.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { checkOneOf, invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { type CommandUses, commandDevices } from "../model/devices.ts";
import { choice, expression, someDevices, wantedState } from "../model/fields.ts";
import { requireDevices } from "../model/targets.ts";
import { show } from "../model/values.ts";

export const setDeviceState = defineAction({
  type: "set_device_state",
  doc: "Sets the state of one device or several, or sends them a command. Of devices that are found, only those with such an attribute get it.",
  whenInterrupted: ({ state }) => (state?.command === "toggle" ? "skip" : "repeat"),
  fields: () => ({
    ...someDevices,
    state: Type.Optional(wantedState("The wanted attributes, such as {on: true}, or {command: …}")),
    expression: Type.Optional(expression("CEL that gives the wanted state as a map, instead of `state`")),
    offline: choice(
      ["send", "fail"],
      "Whether it is sent to a device that is not available, or the action fails for that one",
      { default: "send" },
    ),
    track_event_value: Type.Optional(
      Type.Boolean({
        description:
          "Whether the value that triggered the rule takes the place of the one in `state`; without one, `state` counts",
      }),
    ),
  }),
  check(spec) {
    requireDevices(spec);
    if (spec.track_event_value !== true) checkOneOf(spec, ["state", "expression"]);
    else if (spec.expression !== undefined) throw invalid("expression", "give either this or `track_event_value`");
  },
  async run(spec, scope: ActionScope<CommandUses>) {
    const { expression, track_event_value: tracks } = spec;
    const state = tracks
      ? tracked(spec.state, scope.trigger)
      : (spec.state ?? stateOf(scope.evaluate(expression ?? "")));
    return commandDevices(spec, state, scope, spec.offline);
  },
  example: { device_ids: ["lamp", "fan"], state: { on: false } },
});

/** The attribute that changed, else the only one in the state, gets the value that triggered the rule. */
function tracked(state: JsonObject = {}, { attribute, value }: JsonObject): JsonObject {
  if (isObject(value) && Object.keys(value).length > 0) return value;
  const [only, ...more] = Object.keys(state);
  const name =
    typeof attribute === "string" && (Object.hasOwn(state, attribute) || only === undefined) ? attribute : only;
  if (value !== undefined && value !== null && name !== undefined && (more.length === 0 || name === attribute))
    return { ...state, [name]: value };
  if (only !== undefined) return state;
  throw new HubError("conflict", "what triggered the rule has no value to pass on, and there is no `state` without it");
}

function stateOf(value: unknown): JsonObject {
  if (isObject(value) && Object.keys(value).length > 0) return value;
  throw invalid("expression", `must give a map with at least one attribute, and gave ${show(value)}`);
}
