// The house of a test, and what actions do in it. Commands reach nobody; each device is taken to obey at once.
import { HubError } from "../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Timer } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { HouseEffects, HouseReads, Offline, RuleDevice, RuleHost } from "../model/host.ts";
import { createMadeUpHouse, type HouseChange } from "./made-up-house.ts";
import { NOT_SENT } from "./not-done.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface Assumed extends HouseChange {
  /** When attributes changed last, by device and attribute, in epoch ms; those that are made up, just now where absent. */
  lastChanged?: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined;
}

export interface TestHouse {
  readonly host: RuleHost;
  /** Makes the house look like this from the beginning. */
  assume(change: Assumed): void;
  /** Something happens in it now; the rule learns of it. */
  change(change: HouseChange): void;
}

export interface TestHouseOptions {
  /** The real house. */
  house: HouseReads;
  clock: SimulatedClock;
  receive(event: HubEvent): void;
  /** Something that the test cannot know; each text counts once. */
  unknown(text: string): void;
}

export function createTestHouse({ house, clock, receive, unknown }: TestHouseOptions): TestHouse {
  const { reads, put, putVariable, putAll, putTimes } = createMadeUpHouse(house, clock.now);
  const timers = createTestTimers(clock, (id, values) => {
    for (const event of put(id, values)) receive(event);
  });

  // As from a device: a wait that follows receives it.
  const receiveSoon = (event: HubEvent): void => void clock.after("test: report", 0, () => receive(event));

  /** The state is the new one at once, and its event comes a moment later. */
  function command(id: string, command: JsonObject, offline: Offline): void {
    const { command: word, ...values } = command;
    const now = reads.device(id);
    if (!now) throw new HubError("not_found", `there is no device "${id}"`);
    if (!now.available && offline === "fail") throw new HubError("conflict", `the device "${id}" is not available`);
    if (!now.available) unknown(`"${id}" is not available now: it was taken to do what it is told`);
    const wanted = word === undefined ? values : effectOf(now, command);
    if (wanted === undefined)
      unknown(`what the command ${JSON.stringify(word)} changes at "${id}": nothing was taken to change`);
    else for (const event of put(id, wanted)) receiveSoon(event);
  }

  function effectOf(device: RuleDevice, { command, ...values }: JsonObject): JsonObject | undefined {
    if (device.deviceType === "timer") return timers.command(device, command, values);
    const { on } = device.attributes;
    if (command === "toggle" && typeof on === "boolean") return { on: !on };
    return command === "on" || command === "off" ? { on: command === "on" } : undefined;
  }

  const effects = {
    ...NOT_SENT,
    setVariable: (name, value) => receiveSoon(putVariable(name, value)),
    command: async (id, wanted, _actor, { offline = "send" } = {}) => command(id, wanted, offline),
    async activateScene(id) {
      if (!house.hasScene(id)) throw new HubError("not_found", `there is no scene "${id}"`);
      unknown(`what the scene "${id}" changes: nothing was taken to change`);
    },
    emit: receive,
  } satisfies Required<HouseEffects>;

  return {
    host: { ...reads, ...effects },
    assume({ lastChanged = {}, ...change }) {
      putAll(change);
      for (const [id, times] of Object.entries(lastChanged)) putTimes(id, times);
    },
    change(change) {
      for (const event of putAll(change)) receive(event);
    },
  };
}

interface TestTimers {
  /** The attributes that the command changes; undefined for an unknown command. */
  command(device: RuleDevice, command: Json | undefined, values: JsonObject): JsonObject | undefined;
}

interface Counting extends Disposable {
  readonly endsAt: number;
}

/** `expired` is notified of the end of each. */
function createTestTimers(clock: SimulatedClock, report: (id: string, values: JsonObject) => void): TestTimers {
  const counting = new Map<string, Counting>();
  const remaining = new Map<string, number>();

  function stop(id: string): void {
    counting.get(id)?.[Symbol.dispose]();
    counting.delete(id);
  }

  function start(id: string, ms: number): void {
    stop(id);
    const timer: Timer = clock.after("test: timer", ms, () => {
      counting.delete(id);
      report(id, { state: "expired" });
    });
    counting.set(id, { endsAt: clock.now() + ms, [Symbol.dispose]: () => timer[Symbol.dispose]() });
  }

  return {
    command({ id, attributes }, command, { duration_secs = attributes.duration_secs ?? null }) {
      const wholeMs = typeof duration_secs === "number" ? duration_secs * 1000 : undefined;
      switch (command) {
        case "start":
        case "restart":
          if (wholeMs !== undefined) start(id, wholeMs);
          return { state: "started", ...(wholeMs !== undefined && { duration_secs }) };
        case "pause":
          remaining.set(id, Math.max(0, (counting.get(id)?.endsAt ?? clock.now()) - clock.now()));
          stop(id);
          return { state: "paused" };
        case "resume":
          start(id, remaining.get(id) ?? wholeMs ?? 0);
          return { state: "started" };
        case "cancel":
          stop(id);
          return { state: "cancelled" };
        default:
          return undefined;
      }
    },
  };
}
