// Watches batteries: tells once when one is low, and once when it is good again, over restarts too.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { startWriteBehind } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { EventFeed } from "../events/feed.ts";
import type { BatterySection } from "./battery-config.ts";
import { batteryLevel, isBatteryAttribute } from "./battery-level.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

export interface BatteryWatchOptions {
  feed: Pick<EventFeed, "on">;
  registry: Pick<Registry, "get" | "ownerOf" | "onRemoved">;
  db: Pick<StateDb, "behind" | "trouble">;
  config: BatterySection;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
}

// What could not be written at once is tried again after this.
const RETRY_MS = 10_000;

export function startBatteryWatch(options: BatteryWatchOptions): Disposable {
  const { feed, registry, config, emit } = options;
  const { threshold_pct: threshold, recover_band_pct: band } = config;
  using stack = new DisposableStack();
  const low = stack.use(openLatch(options));

  function judge(device: Device, level: number): void {
    const told = { device_id: device.id, device_name: device.name, battery_pct: level };
    if (!low.has(device.id) && level <= threshold) {
      low.set(device.id);
      emit({ type: "device_battery_low", ...told, threshold_pct: threshold });
    } else if (low.has(device.id) && level > threshold + band) {
      low.clear(device.id);
      emit({ type: "device_battery_recovered", ...told });
    }
  }

  stack.use(
    feed.on("device_state_changed", "battery watch", ({ event }) => {
      if (!event.changed.some(isBatteryAttribute)) return;
      const level = batteryLevel(event.current as Device["attributes"]);
      // Events wait for each other: the device may be gone by now.
      if (level === undefined || registry.ownerOf(event.device_id) === undefined) return;
      judge(registry.get(event.device_id), level);
    }),
  );
  stack.use(registry.onRemoved("battery watch", ({ id }) => low.forget(id)));
  const parts = stack.move();
  return { [Symbol.dispose]: () => parts[Symbol.dispose]() };
}

interface Latch extends Disposable {
  has(deviceId: string): boolean;
  /** Written when these return, which outlives the process, unless the disk refuses: then kept in memory and tried again. */
  set(deviceId: string): void;
  clear(deviceId: string): void;
  /** The device is gone, and its row with it. */
  forget(deviceId: string): void;
}

function openLatch({ db: { behind, trouble }, clock, log }: BatteryWatchOptions): Latch {
  const rows = behind.query<{ device_id: string; since: number }, []>("SELECT device_id, since FROM battery_low").all();
  const low = new Map(rows.map(({ device_id, since }) => [device_id, since]));
  // Selected from the devices, so that one that is gone leaves no row.
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
    set(deviceId) {
      low.set(deviceId, clock.now());
      writeNow(deviceId);
    },
    clear(deviceId) {
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
