// `set_device_state_per_mode`: which state devices are set to depends on the mode of the house.
import { Type } from "@sinclair/typebox";
import { type ActionScope, defineAction } from "../model/define.ts";
import { type CommandUses, commandDevices } from "../model/devices.ts";
import { KEYS_NAME, someDevices, wantedState } from "../model/fields.ts";
import { requireDevices } from "../model/targets.ts";

export const setDeviceStatePerMode = defineAction({
  type: "set_device_state_per_mode",
  doc: "Sets devices to the state of the first mode in the list that is on; to `default` if none is.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    ...someDevices,
    states: Type.Record(Type.String(), wantedState("The state in this mode"), {
      minProperties: 1,
      maxProperties: 100,
      [KEYS_NAME]: "mode",
      problem: "must be a table of mode ids and states, each state a table with at least one attribute",
      description: "States by mode id; the first mode that is on counts",
    }),
    default: Type.Optional(wantedState("The state if none of these modes is on; without it, nothing is done")),
  }),
  check: requireDevices,
  async run(spec, scope: ActionScope<CommandUses | "mode">) {
    const mode = Object.keys(spec.states).find((id) => scope.host.mode(id));
    const state = mode === undefined ? spec.default : spec.states[mode];
    if (!state) return "nothing: none of its modes is on";
    const done = await commandDevices(spec, state, scope);
    const why = mode === undefined ? "no mode is on" : `mode ${mode} is on`;
    return `${done}: ${why}`;
  },
  example: { device_id: "lamp", states: { night: { brightness: 10 } }, default: { brightness: 80 } },
});
