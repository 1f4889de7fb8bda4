// Watches the batteries of devices: emits one event when a battery is low, and one when it has recovered, also over restarts.
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { startWriteBehind } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { EventFeed } from "../events/feed.ts";
import type { BatterySection } from "./config.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

/** The attributes in which plugins report a battery level; the first that holds one counts. */
const BATTERY_ATTRIBUTES = ["battery_pct", "battery", "battery_level"] as const;

export function isBatteryAttribute(name: string): boolean {
  return (BATTERY_ATTRIBUTES as readonly string[]).includes(name);
}

/** Percent from 0 to 100; undefined if the device reports no number ("ok", true, …). */
function batteryLevel(attributes: JsonObject): number | undefined {
  for (const name of BATTERY_ATTRIBUTES) {
    const level = numberOf(attributes[name]);
    if (level !== undefined) return Math.min(100, Math.max(0, level));
  }
  return undefined;
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
  db: Pick<StateDb, "behind" | "trouble">;
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

  function check(device: Device, level: number): void {
    const fields = { device_id: device.id, device_name: device.name, battery_pct: level };
    if (!low.has(device.id) && level <= threshold) {
      low.add(device.id);
      emit({ type: "device_battery_low", ...fields, threshold_pct: threshold });
    } else if (low.has(device.id) && level > threshold + band) {
      low.delete(device.id);
      emit({ type: "device_battery_recovered", ...fields });
    }
  }

  opening.use(
    feed.on("device_state_changed", "battery watch", ({ event }) => {
      if (!event.changed.some(isBatteryAttribute)) return;
      const level = batteryLevel(event.current as Device["attributes"]);
      // Events are queued: the device may have been removed since.
      const device = registry.find(event.device_id);
      if (device && level !== undefined) check(device, level);
    }),
  );
  opening.use(registry.onRemoved("battery watch", ({ id }) => low.forget(id)));
  const parts = opening.move();
  return { [Symbol.dispose]: () => parts[Symbol.dispose]() };
}

/** The devices whose battery is low. A change is written when the method returns; if the disk refuses it, it is retried. */
interface LowBatteries extends Disposable {
  has(deviceId: string): boolean;
  add(deviceId: string): void;
  delete(deviceId: string): void;
  /** For a removed device, whose row is gone with it. */
  forget(deviceId: string): void;
}

const RETRY_MS = 10_000;

function openLowBatteries({ db: { behind, trouble }, clock, log }: BatteryWatchOptions): LowBatteries {
  const rows = behind.query<{ device_id: string; since: number }, []>("SELECT device_id, since FROM battery_low").all();
  const low = new Map(rows.map(({ device_id, since }) => [device_id, since]));
  // Selected from the devices, so that a removed device gets no row.
  const insert = behind.query(
    "INSERT INTO battery_low (device_id, since) SELECT id, $since FROM devices WHERE id = $id ON CONFLICT DO NOTHING",
  );
  const remove = behind.query("DELETE FROM battery_low WHERE device_id = ?");
  const write = behind.transaction((ids: Iterable<string>) => {
    for (const id of ids) {
      const since = low.get(id);
      if (since === undefined) remove.run(id);
      else insert.run({ id, since });
    }
  }).immediate;
  const what = "the state of batteries";
  const unwritten = startWriteBehind<string>({ clock, log, periodMs: RETRY_MS, write, what, trouble });

  function writeNow(deviceId: string): void {
    unwritten.mark(deviceId);
    unwritten.flush();
  }

  return {
    has: (deviceId) => low.has(deviceId),
    add(deviceId) {
      low.set(deviceId, clock.now());
      writeNow(deviceId);
    },
    delete(deviceId) {
      low.delete(deviceId);
      writeNow(deviceId);
    },
    forget(deviceId) {
      low.delete(deviceId);
      unwritten.forget(deviceId);
    },
    [Symbol.dispose]: () => unwritten[Symbol.dispose](),
  };
}
