// What a rule reads in a test: the real house as it is now, with what the person made up, and with what the rule itself has set.
import { type Json, type JsonObject, jsonEqual } from "../../kit/schema/json.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { HouseReads, RuleDevice } from "../model/host.ts";
import { unwatched } from "./not-done.ts";
import { eventsOf } from "./past-events.ts";

/** What is made up, by id or name. */
export interface HouseChange {
  devices?: Readonly<Record<string, JsonObject>> | undefined;
  modes?: Readonly<Record<string, boolean>> | undefined;
  variables?: Readonly<Record<string, Json>> | undefined;
}

export interface MadeUpHouse {
  readonly reads: HouseReads;
  /** The events of the change; none where nothing changes. The same for the two below. */
  put(id: string, values: JsonObject): HubEvent[];
  putVariable(name: string, value: Json): HubEvent;
  putAll(change: HouseChange): HubEvent[];
  /** When attributes changed last, in epoch ms. */
  putTimes(id: string, times: Readonly<Record<string, number>>): void;
}

export function createMadeUpHouse(real: HouseReads, now: () => number): MadeUpHouse {
  const devices = new Map<string, Pick<RuleDevice, "attributes" | "lastChanged">>();
  const modes = new Map<string, boolean>();
  const variables = new Map<string, Json>();

  function device(id: string): RuleDevice | undefined {
    const known = real.device(id);
    const made = devices.get(id);
    if (!made) return known;
    const added = { id, name: id, area: undefined, deviceType: undefined, tags: [], available: true };
    return { ...(known ?? added), ...made };
  }

  const variable = (name: string): Json | undefined =>
    variables.has(name) ? variables.get(name) : real.variable(name);

  function put(id: string, values: JsonObject): HubEvent[] {
    const { attributes = {}, lastChanged = {} } = device(id) ?? {};
    const changed = Object.keys(values).filter((name) => !jsonEqual(attributes[name], values[name]));
    const current = { ...attributes, ...values };
    const times = changed.map((name) => [name, now()] as const);
    devices.set(id, { attributes: current, lastChanged: { ...lastChanged, ...Object.fromEntries(times) } });
    const after = device(id);
    if (typeof values.on === "boolean" && real.mode(id) !== undefined) modes.set(id, values.on);
    return changed.length === 0 || !after
      ? []
      : eventsOf({ device: after, previous: attributes, current, changed }, true);
  }

  function putVariable(name: string, value: Json): HubEvent {
    const previous_value = variable(name) ?? null;
    variables.set(name, value);
    return { type: "hub_variable_changed", name, value, previous_value };
  }

  function putMode(id: string, on: boolean): HubEvent[] {
    modes.set(id, on);
    return put(id, { on });
  }

  return {
    reads: readsOf(real, { now, device, variable, ids: () => devices.keys(), modes }),
    put,
    putVariable,
    putAll: ({ devices = {}, modes = {}, variables = {} }) => [
      ...Object.entries(devices).flatMap(([id, values]) => put(id, values)),
      ...Object.entries(modes).flatMap(([id, on]) => putMode(id, on)),
      ...Object.entries(variables).map(([name, value]) => putVariable(name, value)),
    ],
    putTimes(id, times) {
      const { attributes = {}, lastChanged = {} } = device(id) ?? {};
      devices.set(id, { attributes, lastChanged: { ...lastChanged, ...times } });
    },
  };
}

interface Made {
  now(): number;
  device(id: string): RuleDevice | undefined;
  variable(name: string): Json | undefined;
  /** Of devices that are made up or set. */
  ids(): Iterable<string>;
  modes: ReadonlyMap<string, boolean>;
}

function readsOf(real: HouseReads, { now, device, variable, ids, modes }: Made): Required<HouseReads> {
  const all = (): Set<string> => new Set([...[...real.devices()].map(({ id }) => id), ...ids()]);
  return {
    device,
    devices: () => [...all()].flatMap((id) => device(id) ?? []),
    described: (id) => real.described(id),
    presentStates: (ids) => presentStates(ids, { real, device }),
    variable,
    mode: (id) => modes.get(id) ?? real.mode(id),
    hasScene: (id) => real.hasScene(id),
    hasArea: (id) => real.hasArea(id),
    hasChannel: (name) => real.hasChannel(name),
    now,
    random: () => real.random(),
    zone: real.zone,
    calendars: unwatched(real.calendars),
    sun: real.sun,
  };
}

/** The commands of the real house, with the values that the attributes have in the test. */
function presentStates(
  ids: readonly string[],
  { real, device }: { real: HouseReads; device: (id: string) => RuleDevice | undefined },
): Readonly<Record<string, JsonObject>> {
  const commands = Object.entries(real.presentStates(ids)).map(([id, command]) => {
    const { attributes = {} } = device(id) ?? {};
    const values = Object.entries(command).map(([name, value]) => [name, attributes[name] ?? value] as const);
    return [id, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(commands);
}
