// Watches the batteries of devices: emits one event when a battery is low, and one when it has recovered, also over restarts.
import { startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import { describedAttributes } from "./commands/command-check.ts";
import type { BatterySection } from "./config.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

/** The names under which a level is reported where nothing describes it; the first that holds one counts. */
const LEVELS: readonly string[] = ["battery_pct", "battery", "battery_level"];
const NUMBERED_LEVEL = /^battery_?(l?\d{1,2})$/;
const LOW = /^(?:(.+)_)?battery_low(?:_(.+))?$/;

export function isBatteryAttribute(name: string): boolean {
  return wordOf(name) !== undefined;
}

/** What a device says of one of its batteries. */
interface Battery {
  /** Percent from 0 to 100; undefined if it reports no number ("ok", true, …). */
  level?: number;
  /** Its own word for it, whatever the level. */
  low?: boolean;
  names: string[];
}

/** Which battery an attribute is about, and what it says of it. */
interface BatteryWord {
  word: "battery" | "battery_low";
  /** Empty where the device has one battery. */
  part: string;
  name: string;
}

/** By part: by what the device's description says, and by names where it says nothing. */
function batteriesOf({ details }: Pick<Device, "details">, attributes: JsonObject): Map<string, Battery> {
  const found = new Map<string, Battery>();
  for (const { word, part, name } of batteryWords(describedAttributes(details) ?? {}, attributes)) {
    const battery = found.get(part) ?? { names: [] };
    found.set(part, battery);
    battery.names.push(name);
    const value = attributes[name];
    if (word === "battery") battery.level ??= levelOf(value);
    else if (typeof value === "boolean") battery.low ??= value;
  }
  return found;
}

function batteryWords(described: Readonly<Record<string, JsonObject>>, attributes: JsonObject): BatteryWord[] {
  const marked = Object.entries(described).flatMap(([name, { word, part }]): BatteryWord[] =>
    word === "battery" || word === "battery_low" ? [{ word, part: typeof part === "string" ? part : "", name }] : [],
  );
  const hasWord = new Set(marked.map(({ word }) => word));
  const named = [...new Set([...LEVELS, ...Object.keys(attributes)])].flatMap((name): BatteryWord[] => {
    const one = wordOf(name);
    return one && !hasWord.has(one.word) && described[name]?.word === undefined ? [one] : [];
  });
  return [...marked, ...named];
}

function wordOf(name: string): BatteryWord | undefined {
  if (LEVELS.includes(name)) return { word: "battery", part: "", name };
  const numbered = NUMBERED_LEVEL.exec(name);
  if (numbered) return { word: "battery", part: numbered[1] ?? "", name };
  const low = LOW.exec(name);
  return low ? { word: "battery_low", part: low[1] ?? low[2] ?? "", name } : undefined;
}

function levelOf(value: unknown): number | undefined {
  const level = numberOf(value);
  return level === undefined ? undefined : Math.min(100, Math.max(0, level));
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const digits = /^\s*([+-]?\d{1,9}(?:\.\d{1,9})?)\s*%?\s*$/.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface BatteryWatchOptions {
  feed: Pick<EventFeed, "on">;
  registry: Pick<Registry, "find" | "onRemoved">;
  db: Pick<StateDb, "relaxed" | "trouble">;
  config: BatterySection;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
}

export function startBatteryWatch(options: BatteryWatchOptions): Disposable {
  const { feed, registry, config, emit } = options;
  const { threshold_pct: threshold, recover_band_pct: band } = config;
  using opening = new DisposableStack();
  const low = opening.use(openLowBatteries(options));

  function check(device: Device, part: string, { level, low: isReportedLow }: Battery): void {
    const about = { device_id: device.id, device_name: device.name };
    const which = part === "" ? {} : { part };
    const isBelow = level !== undefined && level <= threshold;
    const isGood = isReportedLow !== true && (level === undefined ? isReportedLow === false : level > threshold + band);
    if (!low.has(device.id, part) && (isBelow || isReportedLow === true)) {
      low.add(device.id, part);
      const fields = { ...about, battery_pct: level ?? EMPTY_PCT, threshold_pct: threshold, ...which };
      emit({ type: "device_battery_low", ...fields, ...(isBelow ? {} : REPORTED) });
    } else if (low.has(device.id, part) && isGood) {
      low.delete(device.id, part);
      const fields = { ...about, battery_pct: level ?? FULL_PCT, ...which };
      emit({ type: "device_battery_recovered", ...fields, ...(level === undefined ? REPORTED : {}) });
    }
  }

  opening.use(
    feed.on("device_state_changed", "battery watch", ({ event }) => {
      if (!event.changed.some((name) => name.includes("battery"))) return;
      // Events are queued: the device may have been removed since.
      const device = registry.find(event.device_id);
      if (!device) return;
      for (const [part, battery] of batteriesOf(device, event.current as Device["attributes"]))
        if (battery.names.some((name) => event.changed.includes(name))) check(device, part, battery);
    }),
  );
  opening.use(registry.onRemoved("battery watch", ({ id }) => low.forget(id)));
  const parts = opening.move();
  return { [Symbol.dispose]: () => parts[Symbol.dispose]() };
}

// Of a battery of which nothing is known but that it is low, or good again: a rule that compares the number treats it as what it is.
const EMPTY_PCT = 0;
const FULL_PCT = 100;
const REPORTED = { reported: "battery_low" } as const;

/** The batteries that are low. A change is written when the method returns; if the disk refuses it, it is retried. */
interface LowBatteries extends Disposable {
  has(deviceId: string, part: string): boolean;
  add(deviceId: string, part: string): void;
  delete(deviceId: string, part: string): void;
  /** For a removed device, whose rows are gone with it. */
  forget(deviceId: string): void;
}

const RETRY_MS = 10_000;

interface LowRow {
  device_id: string;
  part: string;
  since: number;
}

function openLowBatteries({ db: { relaxed, trouble }, clock, log }: BatteryWatchOptions): LowBatteries {
  const low = new Map<string, Map<string, number>>();
  const partsOf = (id: string): Map<string, number> => low.get(id) ?? new Map();
  for (const { device_id, part, since } of relaxed
    .query<LowRow, []>("SELECT device_id, part, since FROM battery_low")
    .all())
    low.set(device_id, partsOf(device_id).set(part, since));
  // Selected from the devices, so that a removed device gets no row.
  const insert = relaxed.query(
    "INSERT INTO battery_low (device_id, part, since) SELECT id, $part, $since FROM devices WHERE id = $id",
  );
  const remove = relaxed.query("DELETE FROM battery_low WHERE device_id = ?");
  const write = relaxed.transaction((ids: Iterable<string>) => {
    for (const id of ids) {
      remove.run(id);
      for (const [part, since] of partsOf(id)) insert.run({ id, part, since });
    }
  }).immediate;
  const what = "the state of batteries";
  const unwritten = startWriteBehind<string>({ clock, log, periodMs: RETRY_MS, write, what, trouble });

  function keep(deviceId: string, parts: Map<string, number>): void {
    if (parts.size > 0) low.set(deviceId, parts);
    else low.delete(deviceId);
    unwritten.mark(deviceId);
    unwritten.flush();
  }

  return {
    has: (deviceId, part) => partsOf(deviceId).has(part),
    add: (deviceId, part) => keep(deviceId, partsOf(deviceId).set(part, clock.now())),
    delete(deviceId, part) {
      const parts = partsOf(deviceId);
      parts.delete(part);
      keep(deviceId, parts);
    },
    forget(deviceId) {
      low.delete(deviceId);
      unwritten.forget(deviceId);
    },
    [Symbol.dispose]: () => unwritten[Symbol.dispose](),
  };
}
