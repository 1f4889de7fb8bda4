// `timer_state_changed`: a virtual timer starts, pauses, expires or is cancelled.
import { Type } from "@sinclair/typebox";
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { choice, someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";
import { matchesValue } from "../model/values.ts";

const state = choice(["started", "paused", "expired", "cancelled", "idle"], "A state of a timer");

export const timerStateChanged = defineTrigger({
  type: "timer_state_changed",
  doc: "A timer starts, pauses, expires or is cancelled; without a device, any timer.",
  fields: {
    ...someDevices,
    state: Type.Optional(
      Type.Union([state, Type.Array(state, { minItems: 1, maxItems: 5 })], {
        description: "Only to this state, or to one of a list; without it, any",
        expected: 'one of "started", "paused", "expired", "cancelled", "idle", or a list of these',
      }),
    ),
  },
  label({ state, ...spec }) {
    return `${whichDevices(spec)} ${state === undefined ? "changes its state" : [state].flat().join(" or ")}`;
  },
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "previous"],
  interests: (spec) => deviceInterests("timer_state_changed", spec),
  match({ state, ...spec }, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("timer_state_changed", envelope, { spec, host });
    if (!event || (state !== undefined && !matchesValue(event.state, state))) return undefined;
    return {
      ...deviceContext(host, event.device_id),
      attribute: "state",
      value: event.state,
      previous: event.previous_state,
    };
  },
  example: { device_id: "kettle", state: ["expired", "cancelled"] },
});
