// `set_device_state`: sets the state of devices, or sends them a command.
import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../core/json.ts";
import { checkOneOf, invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { commandDevices } from "../model/devices.ts";
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
      {
        default: "send",
      },
    ),
  }),
  check(spec) {
    requireDevices(spec);
    checkOneOf(spec, ["state", "expression"]);
  },
  async run(spec, scope) {
    const state = spec.state ?? stateOf(scope.evaluate(spec.expression ?? ""));
    return commandDevices(spec, state, scope, spec.offline);
  },
  example: { device_ids: ["lamp", "fan"], state: { on: false } },
});

function stateOf(value: unknown): JsonObject {
  if (isObject(value) && Object.keys(value).length > 0) return value;
  throw invalid("expression", `must give a map with at least one attribute, and gave ${show(value)}`);
}
