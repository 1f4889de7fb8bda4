// `set_device_state_per_mode`: what a device is asked for depends on the mode of the house.
import { Type } from "@sinclair/typebox";
import { commandDevices } from "../command-devices.ts";
import { defineAction } from "../define.ts";
import { devicesOf } from "../devices.ts";
import { KEYS_NAME, someDevices, wantedState } from "../fields.ts";
import { firstModeOn } from "../modes.ts";
import { checkOneOf, show } from "../values.ts";

export const setDeviceStatePerMode = defineAction({
  type: "set_device_state_per_mode",
  doc: "Asks devices for the state of the first mode in the list that is on; for `default` when none is.",
  fields: () => ({
    ...someDevices,
    states: Type.Record(Type.String(), wantedState("The state wanted in this mode"), {
      minProperties: 1,
      maxProperties: 100,
      [KEYS_NAME]: "mode",
      problem: "must be a table with the state for each mode: its id, and a table with at least one attribute",
      description: "The wanted state by mode id; the first that is on counts",
    }),
    default: Type.Optional(wantedState("The state wanted when none of these modes is on; nothing is done when absent")),
  }),
  check: (spec) => checkOneOf(spec, ["device_id", "device_ids"]),
  async run(spec, scope) {
    const mode = firstModeOn(Object.keys(spec.states), scope.host);
    const state = mode === undefined ? spec.default : spec.states[mode];
    if (!state) return "nothing: none of its modes is on";
    await commandDevices(devicesOf(spec) ?? [], state, scope);
    const why = mode === undefined ? "no mode is on" : `mode ${mode} is on`;
    return `${devicesOf(spec)?.join(", ")} ${show(state)}: ${why}`;
  },
  example: { device_id: "lamp", states: { night: { brightness: 10 } }, default: { brightness: 80 } },
});
