// Tools for devices: finding them, looking at one, and commanding one.
import { type Static, Type } from "@sinclair/typebox";
import { isoSeconds } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { CommandOutcome, taken } from "../../state/command-answers.ts";
import { describedAttributes } from "../../state/command-check.ts";
import { type Device, isMinor } from "../../state/device.ts";
import { defineTool, type ToolCall } from "../tool.ts";
import { harmless, shortText, someOf } from "../untrusted.ts";
import { saidOtherwise, UNITS } from "../words.ts";

const closed = { additionalProperties: false } as const;
const nullableText = Type.Union([Type.String(), Type.Null()]);
const values = Type.Record(Type.String(), Type.Unknown());
const MOST_COMMAND_KEYS = 30;
const MOST_COMMAND_BYTES = 8192;

export const DeviceId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The device's id, from list_devices",
});

const Listed = {
  id: Type.String(),
  name: Type.String(),
  area: nullableText,
  area_name: nullableText,
  type: nullableText,
  available: Type.Boolean({ description: "Whether it can be reached now" }),
  state: Type.Record(Type.String(), Type.Unknown(), { description: "Its present values" }),
};

export const listDevices = defineTool({
  name: "list_devices",
  title: "List devices",
  description: `Devices of the house with their present values, such as lamps, sensors and thermostats. Narrow it down by area, type, or a word of the name. ${UNITS}`,
  input: Type.Object(
    {
      area: Type.Optional(Type.String({ maxLength: 200, description: "Id or name of an area" })),
      type: Type.Optional(
        Type.String({ maxLength: 200, description: "Such as light, switch, sensor, climate, cover" }),
      ),
      query: Type.Optional(Type.String({ maxLength: 200, description: "Words in the name, the id or the tags" })),
      after: Type.Optional(Type.String({ maxLength: 255, description: "The `next` of the answer before" })),
    },
    closed,
  ),
  output: Type.Object({
    devices: Type.Array(Type.Object(Listed)),
    next: Type.Optional(Type.String({ description: "There are more: give this as `after`" })),
  }),
  run({ area, type, query, after }, call) {
    const nameOf = areaNames(call);
    const words = (query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (device: Device): boolean => {
      const text = [device.name, device.id, ...device.tags].join(" ").toLowerCase();
      return (
        (area === undefined || isArea(device, area, nameOf)) &&
        (type === undefined || device.deviceType?.toLowerCase() === type.toLowerCase()) &&
        words.every((word) => text.includes(word))
      );
    };
    const sorted = call.house
      .devices()
      .filter(fits)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const rest = after === undefined ? sorted : sorted.filter(({ id }) => id > after);
    const { items, more } = someOf(rest.map((device) => listed(device, nameOf)));
    const last = rest[items.length - 1];
    return { devices: items, ...(more && last && { next: last.id }) };
  },
});

export const getDevice = defineTool({
  name: "get_device",
  title: "Look at a device",
  description: "One device: all its values, when each changed, and what can be commanded, with units and ranges.",
  input: Type.Object({ id: DeviceId }, closed),
  output: Type.Object({
    ...Listed,
    last_seen: nullableText,
    last_changed: Type.Record(Type.String(), Type.String()),
    attributes: Type.Record(Type.String(), values, {
      description: "What is known of its values: type, unit, range, options; readOnly ones cannot be commanded",
    }),
    may_command: Type.Boolean({ description: "Whether command_device works for it" }),
  }),
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
      ...listed(device, areaNames(call)),
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
  maxProperties: MOST_COMMAND_KEYS,
  description: 'The wanted values, such as {"on": true, "brightness_pct": 40}; see get_device',
});

export const commandDevice = defineTool({
  name: "command_device",
  title: "Command a device",
  description:
    "Changes a device: sends it the wanted values, and says what became of it: `accepted` by the device's side, `sent` where nothing was heard within a second (look at the device afterwards), or `not_connected`. What the device refuses is an error with its words.",
  acts: true,
  input: Type.Object({ id: DeviceId, state: WantedState }, closed),
  output: Type.Object({ device_id: Type.String(), correlation_id: Type.String(), ...CommandOutcome }),
  target: ({ id }) => id,
  async run({ id, state }: { id: string; state: Static<typeof WantedState> }, { house, caller, deps }) {
    const device = house.device(id);
    if (!house.commands(device))
      throw new HubError("forbidden", "this key may not command modes unless they are named when it is made");
    if (!device.available) throw new HubError("conflict", `the device "${id}" cannot be reached now`);
    if (JSON.stringify(state).length > MOST_COMMAND_BYTES)
      throw new HubError("too_large", `the state has at most ${MOST_COMMAND_BYTES} characters`);
    const actor = { kind: "mcp", id: caller.id, name: caller.name };
    const delivered = await deps.commands.deliver(device.id, state as JsonObject, actor);
    const outcome = await taken(delivered, shortText);
    return harmless({ device_id: device.id, correlation_id: delivered.correlationId, ...outcome }) as JsonObject;
  },
});

/** By id. */
function areaNames({ deps }: ToolCall): (id: string) => string {
  const names = new Map(deps.areas.list().map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

function isArea({ area }: Device, wanted: string, nameOf: (id: string) => string): boolean {
  return area !== undefined && [area, nameOf(area)].some((one) => one.toLowerCase() === wanted.toLowerCase());
}

function listed(device: Device, nameOf: (id: string) => string) {
  const { id, name, area, deviceType, available, attributes } = device;
  const said = saidOtherwise(device);
  const state = Object.entries(attributes).filter(([attribute]) => !isMinor(device, attribute) && !said.has(attribute));
  return {
    id,
    name,
    area: area ?? null,
    area_name: area === undefined ? null : nameOf(area),
    type: deviceType ?? null,
    available,
    state: Object.fromEntries(state),
  };
}
