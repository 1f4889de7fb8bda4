// Tools for one device: looking at it, and commanding it.
import { type Static, Type } from "@sinclair/typebox";
import { taken } from "../../../house/state/commands/command-answers.ts";
import { describedAttributes } from "../../../house/state/commands/command-check.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { defineTool } from "../tool.ts";
import { harmless, shortText } from "../untrusted.ts";
import { saidOtherwise } from "../words.ts";

const closed = { additionalProperties: false } as const;
const MAX_COMMAND_KEYS = 30;
const MAX_COMMAND_BYTES = 8192;

export const DeviceId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The device's id, from list_devices, or its name where no other has it",
});

export const getDevice = defineTool({
  name: "get_device",
  title: "Look at a device",
  description: "One device: all its values, when each changed, and what can be commanded, with units and ranges.",
  input: Type.Object({ id: DeviceId }, closed),
  target: ({ id }) => id,
  run({ id }, call) {
    const device = call.house.device(id);
    const described = describedAttributes(device.details) ?? {};
    const said = saidOtherwise(device);
    // What can be commanded may be more than its word: a fan's own modes.
    const writable = new Set(Object.keys(described).filter((name) => described[name]?.readOnly !== true));
    const isShown = ([name]: readonly [string, unknown]): boolean => !said.has(name) || writable.has(name);
    const changed = Object.entries(device.lastChanged).filter(isShown);
    return harmless({
      id: device.id,
      name: device.name,
      area: device.area ?? null,
      area_name: call.deps.areas.list().find((one) => one.id === device.area)?.name ?? null,
      type: device.deviceType ?? null,
      available: device.available,
      state: Object.fromEntries(Object.entries(device.attributes).filter(isShown)),
      last_seen: device.lastSeen === undefined ? null : isoSeconds(device.lastSeen),
      last_changed: Object.fromEntries(changed.map(([name, at]) => [name, isoSeconds(at)])),
      attributes: Object.fromEntries(Object.entries(described).filter(isShown)),
      may_command: call.house.commands(device),
    }) as JsonObject;
  },
});

const WantedState = Type.Record(Type.String(), Type.Unknown(), {
  minProperties: 1,
  maxProperties: MAX_COMMAND_KEYS,
  description: 'The wanted values, such as {"on": true, "brightness_pct": 40}; see get_device',
});

export const commandDevice = defineTool({
  name: "command_device",
  title: "Command a device",
  description:
    "Changes a device: sends it the wanted values, and says what became of it: `accepted` by the device's side, `sent` where nothing was heard within a second (look at the device afterwards), or `not_connected`. What the device refuses is an error with its words.",
  acts: true,
  input: Type.Object({ id: DeviceId, state: WantedState }, closed),
  target: ({ id }) => id,
  async run({ id, state }: { id: string; state: Static<typeof WantedState> }, { house, caller, deps }) {
    const device = house.device(id);
    if (!house.commands(device))
      throw new HubError("forbidden", "this key may not command modes unless they are named when it is made");
    if (!device.available) throw new HubError("conflict", `the device "${device.id}" cannot be reached now`);
    if (JSON.stringify(state).length > MAX_COMMAND_BYTES)
      throw new HubError("too_large", `the state has at most ${MAX_COMMAND_BYTES} characters`);
    const actor = { kind: "mcp", id: caller.id, name: caller.name };
    const delivered = await deps.commands.deliver(device.id, state as JsonObject, actor);
    const outcome = await taken(delivered, shortText);
    return harmless({ device_id: device.id, correlation_id: delivered.correlationId, ...outcome }) as JsonObject;
  },
});
