// `set_device_state`: asks devices for a state, or commands them.
import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../core/json.ts";
import { commandDevices } from "../command-devices.ts";
import { defineAction } from "../define.ts";
import { devicesOf } from "../devices.ts";
import { expression, someDevices, wantedState } from "../fields.ts";
import { checkOneOf, refusal, show } from "../values.ts";

export const setDeviceState = defineAction({
  type: "set_device_state",
  doc: "Asks one device or several for a state, or gives them a command.",
  fields: () => ({
    ...someDevices,
    state: Type.Optional(wantedState("The wanted attributes, such as {on: true}, or {command: …}")),
    expression: Type.Optional(expression("CEL that gives the wanted state as a map, instead of `state`")),
  }),
  check(spec) {
    checkOneOf(spec, ["device_id", "device_ids"]);
    checkOneOf(spec, ["state", "expression"]);
  },
  async run(spec, scope) {
    const state = spec.state ?? stateOf(scope.evaluate(spec.expression ?? ""));
    await commandDevices(devicesOf(spec) ?? [], state, scope);
    return `${devicesOf(spec)?.join(", ")} ${show(state)}`;
  },
  example: { device_ids: ["lamp", "fan"], state: { on: false } },
});

function stateOf(value: unknown): JsonObject {
  if (isObject(value) && Object.keys(value).length > 0) return value;
  throw refusal("expression", `must give a map with at least one attribute, and gave ${show(value)}`);
}
