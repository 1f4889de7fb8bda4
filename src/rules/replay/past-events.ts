// The events that the hub emitted for a recorded change, as far as the change shows them.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { RuleDevice } from "../model/host.ts";

export interface PastChange {
  device: RuleDevice;
  previous: JsonObject;
  current: JsonObject;
  changed: string[];
}

/** `actions`: whether the rule waits for `device_action`, which is recorded as a change of the attribute `action`. */
export function eventsOf({ device, previous, current, changed }: PastChange, actions: boolean): HubEvent[] {
  const { id, name, deviceType } = device;
  const has = (attribute: string): boolean => changed.includes(attribute);
  const action = actions && has("action") ? current.action : undefined;
  const isAction = typeof action === "string" && action !== "";
  const change = isAction ? { change: { kind: "device_action" } } : {};
  const events: HubEvent[] = [
    { type: "device_state_changed", device_id: id, previous, current, changed, ...change } as HubEvent,
  ];
  if (isAction) events.push({ type: "device_action", device_id: id, action });
  if (deviceType === "mode" && has("on") && typeof current.on === "boolean")
    events.push({ type: "mode_changed", mode_id: id, mode_name: name, on: current.on });
  if (deviceType === "timer" && has("state") && typeof current.state === "string") {
    const before = typeof previous.state === "string" ? previous.state : "idle";
    events.push({ type: "timer_state_changed", device_id: id, previous_state: before, state: current.state });
  }
  return events;
}
