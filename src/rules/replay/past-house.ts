// The house as it was at a moment of the replay: devices as recorded, and everything else as far as it can be known.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { HouseEffects, HouseReads, RuleDevice, RuleHost } from "../model/host.ts";
import { NOT_SENT, notSimulated, unwatched } from "./not-done.ts";
import type { RecordedChange } from "./recorded.ts";

export interface PastHouse {
  readonly host: RuleHost;
  /** The device's attributes before and after. */
  apply(change: RecordedChange): { previous: JsonObject; current: JsonObject; changed: string[] };
  /** When a value of this attribute was first recorded, in epoch ms. */
  firstRecorded(deviceId: string, attribute: string): number | undefined;
}

export interface PastHouseOptions {
  /** The house of now. */
  house: HouseReads;
  /** The devices that were read. */
  deviceIds: ReadonlySet<string>;
  now(): number;
  /** Something that was asked for and is not known; each text counts once. */
  unknown(text: string): void;
}

interface Past {
  attributes: JsonObject;
  lastChanged: Record<string, number>;
  readonly first: Map<string, number>;
}

export function createPastHouse(options: PastHouseOptions): PastHouse {
  const { house, deviceIds, unknown } = options;
  const devices = new Map<string, Past>();

  function device(id: string): RuleDevice | undefined {
    const present = house.device(id);
    const past = devices.get(id);
    if (!past && present && !deviceIds.has(id))
      unknown(`"${id}" was not read from the history: the rule does not name it literally`);
    if (!past && (!present || !deviceIds.has(id))) return undefined;
    return {
      id,
      name: present?.name ?? id,
      area: present?.area,
      deviceType: present?.deviceType,
      tags: present?.tags ?? [],
      available: true,
      attributes: past?.attributes ?? {},
      lastChanged: past?.lastChanged ?? {},
    };
  }

  /** What the rule itself has set. */
  const variables = new Map<string, Json>();
  const isOn = (id: string): Json | undefined => devices.get(id)?.attributes.on;
  // The house goes the way that is recorded, whatever the rule would have changed.
  const effects = {
    ...NOT_SENT,
    setVariable: (name, value) => void variables.set(name, value),
    command: async () => {},
    activateScene: async () => {},
    emit() {},
  } satisfies Required<HouseEffects>;

  return {
    host: { ...pastReads(options, { device, isOn, variables }), ...effects },
    apply({ deviceId, at, values }) {
      const past = devices.get(deviceId) ?? { attributes: {}, lastChanged: {}, first: new Map<string, number>() };
      devices.set(deviceId, past);
      const previous = past.attributes;
      // A copy: what an event shows must not change.
      past.attributes = { ...previous };
      for (const [name, value] of values) {
        put(past.attributes, name, value);
        put(past.lastChanged, name, value === null ? null : at);
        if (!past.first.has(name)) past.first.set(name, at);
      }
      return { previous, current: past.attributes, changed: [...values.keys()] };
    },
    firstRecorded: (deviceId, attribute) => devices.get(deviceId)?.first.get(attribute),
  };
}

interface KnownPast {
  device(id: string): RuleDevice | undefined;
  isOn(id: string): Json | undefined;
  variables: ReadonlyMap<string, Json>;
}

function pastReads(
  { house, deviceIds, now, unknown }: PastHouseOptions,
  { device, isOn, variables }: KnownPast,
): Required<HouseReads> {
  return {
    device,
    devices: () =>
      [...house.devices()].flatMap((now) => (deviceIds.has(now.id) ? (device(now.id) ?? []) : notRead(now))),
    described: (id) => house.described(id),
    presentStates() {
      throw notSimulated("capturing states of the past");
    },
    variable(name) {
      if (variables.has(name)) return variables.get(name);
      const value = house.variable(name);
      if (value !== undefined)
        unknown(`variables are not recorded: "${name}" was taken to have the value of now from the beginning`);
      return value;
    },
    mode(id) {
      if (house.mode(id) === undefined) return undefined;
      const on = isOn(id);
      return typeof on === "boolean" ? on : undefined;
    },
    hasScene: (id) => house.hasScene(id),
    hasArea: (id) => house.hasArea(id),
    hasChannel: (name) => house.hasChannel(name),
    now,
    random() {
      unknown("what random() gave then: it was drawn anew");
      return house.random();
    },
    zone: house.zone,
    calendars: unwatched(house.calendars),
    sun: house.sun,
  };
}

/** Only what a device is called and where it is. */
function notRead({ id, name, area, deviceType, tags }: RuleDevice): RuleDevice {
  return { id, name, area, deviceType, tags, available: true, attributes: {}, lastChanged: {} };
}

/** null removes the key. */
function put<T extends Json>(table: Record<string, T>, name: string, value: T | null): void {
  if (value === null) delete table[name];
  else if (name === "__proto__") Object.defineProperty(table, name, { value, enumerable: true, configurable: true });
  else table[name] = value;
}
