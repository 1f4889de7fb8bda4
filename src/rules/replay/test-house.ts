// The house of a test: the real one as it is now, with what the person made up, and with what the rule itself sets. Commands
// reach nobody; each device is taken to do at once what it is told.
import { HubError } from "../../core/errors.ts";
import { type Json, type JsonObject, jsonEqual } from "../../core/json.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Offline, RuleDevice, RuleHost } from "../model/host.ts";
import { eventsOf } from "./past-events.ts";
import type { SimulatedClock } from "./simulated-clock.ts";
import { createTestTimers } from "./test-timers.ts";

/** What is made up, by id or name. */
export interface HouseChange {
  devices?: Readonly<Record<string, JsonObject>> | undefined;
  modes?: Readonly<Record<string, boolean>> | undefined;
  variables?: Readonly<Record<string, Json>> | undefined;
}

export interface Assumed extends HouseChange {
  /** When attributes changed last, by device and attribute, in epoch ms; those that are made up, just now where absent. */
  lastChanged?: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined;
}

export interface TestHouse {
  readonly host: RuleHost;
  /** Makes the house look like this from the beginning. */
  assume(change: Assumed): void;
  /** Something happens in it now; the rule hears of it. */
  change(change: HouseChange): void;
}

export interface TestHouseOptions {
  /** The real house. */
  host: RuleHost;
  clock: SimulatedClock;
  hear(event: HubEvent): void;
  /** Something that the test cannot know; each text counts once. */
  unknown(text: string): void;
}

export function createTestHouse({ host, clock, hear, unknown }: TestHouseOptions): TestHouse {
  const devices = new Map<string, Pick<RuleDevice, "attributes" | "lastChanged">>();
  const modes = new Map<string, boolean>();
  const variables = new Map<string, Json>();
  const timers = createTestTimers(clock, (id, values) => report(id, values));

  function device(id: string): RuleDevice | undefined {
    const real = host.device(id);
    const made = devices.get(id);
    if (!made) return real;
    const added = { id, name: id, area: undefined, deviceType: undefined, tags: [], available: true };
    return { ...(real ?? added), ...made };
  }

  /** The events of the change; none where nothing changes. */
  function put(id: string, values: JsonObject): HubEvent[] {
    const { attributes = {}, lastChanged = {} } = device(id) ?? {};
    const changed = Object.keys(values).filter((name) => !jsonEqual(attributes[name], values[name]));
    const current = { ...attributes, ...values };
    const times = changed.map((name) => [name, clock.now()] as const);
    devices.set(id, { attributes: current, lastChanged: { ...lastChanged, ...Object.fromEntries(times) } });
    const after = device(id);
    if (typeof values.on === "boolean" && host.mode(id) !== undefined) modes.set(id, values.on);
    return changed.length === 0 || !after
      ? []
      : eventsOf({ device: after, previous: attributes, current, changed }, true);
  }

  function putVariable(name: string, value: Json): HubEvent {
    const previous_value = variables.get(name) ?? host.variable(name) ?? null;
    variables.set(name, value);
    return { type: "hub_variable_changed", name, value, previous_value };
  }

  function putAll({ devices = {}, modes: on = {}, variables = {} }: HouseChange): HubEvent[] {
    return [
      ...Object.entries(devices).flatMap(([id, values]) => put(id, values)),
      ...Object.entries(on).flatMap(([id, on]) => {
        modes.set(id, on);
        return put(id, { on });
      }),
      ...Object.entries(variables).map(([name, value]) => putVariable(name, value)),
    ];
  }

  function report(id: string, values: JsonObject): void {
    for (const event of put(id, values)) hear(event);
  }

  /** The state is the new one at once. Its event comes a moment later, as from a device: a wait that follows hears it. */
  function command(id: string, command: JsonObject, offline: Offline): void {
    const { command: word, ...values } = command;
    const now = device(id);
    if (!now) throw new HubError("not_found", `there is no device "${id}"`);
    if (!now.available && offline === "fail") throw new HubError("conflict", `the device "${id}" is not available`);
    if (!now.available) unknown(`"${id}" is not available now: it was taken to do what it is told`);
    const wanted = word === undefined ? values : effectOf(now, command);
    if (wanted === undefined) {
      unknown(`what the command ${JSON.stringify(word)} changes at "${id}": nothing was taken to change`);
      return;
    }
    for (const event of put(id, wanted)) clock.after("test: report", 0, () => hear(event));
  }

  function effectOf(device: RuleDevice, { command, ...values }: JsonObject): JsonObject | undefined {
    if (device.deviceType === "timer") return timers.command(device, command, values);
    const { on } = device.attributes;
    if (command === "toggle" && typeof on === "boolean") return { on: !on };
    return command === "on" || command === "off" ? { on: command === "on" } : undefined;
  }

  return {
    assume({ lastChanged = {}, ...change }) {
      putAll(change);
      for (const [id, times] of Object.entries(lastChanged)) {
        const { attributes = {}, lastChanged: before = {} } = device(id) ?? {};
        devices.set(id, { attributes, lastChanged: { ...before, ...times } });
      }
    },
    change(change) {
      for (const event of putAll(change)) hear(event);
    },
    host: {
      ...host,
      device,
      devices: () =>
        [...new Set([...[...host.devices()].map(({ id }) => id), ...devices.keys()])].flatMap((id) => device(id) ?? []),
      variable: (name) => (variables.has(name) ? variables.get(name) : host.variable(name)),
      setVariable(name, value) {
        const event = putVariable(name, value);
        clock.after("test: report", 0, () => hear(event));
      },
      mode: (id) => modes.get(id) ?? host.mode(id),
      command: async (id, wanted, _actor, { offline = "send" } = {}) => command(id, wanted, offline),
      captureStates: (ids) => captured(ids, { host, device }),
      async activateScene(id) {
        if (!host.hasScene(id)) throw new HubError("not_found", `there is no scene "${id}"`);
        unknown(`what the scene "${id}" changes: nothing was taken to change`);
      },
      notify: async () => ({ notes: [] }),
      clearNotification: () => false,
      publish: async () => {},
      request: async () => ({ status: 200, body: "" }),
      ping: async () => ({ reachable: true }),
      emit: hear,
      tellPlugins() {},
      now: clock.now,
      timezone: host.timezone,
      zone: host.zone,
      sun: host.sun,
    },
  };
}

/** The commands of the real house, with the values that the attributes have in the test. */
function captured(
  ids: readonly string[],
  { host, device }: { host: RuleHost; device: (id: string) => RuleDevice | undefined },
): Readonly<Record<string, JsonObject>> {
  const commands = Object.entries(host.captureStates(ids)).map(([id, command]) => {
    const { attributes = {} } = device(id) ?? {};
    const values = Object.entries(command).map(([name, value]) => [name, attributes[name] ?? value] as const);
    return [id, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(commands);
}
