// A store on a real file, driven by hand: no thread, no clock.
import { cpSync, existsSync } from "node:fs";
import { storedOf } from "../../../src/house/history/sample.ts";
import { openStore, type Store } from "../../../src/house/history/store/store.ts";
import { type StoreLimits, storeLimits } from "../../../src/house/history/store/store-limits.ts";
import type { HistoryQuery, Moment, SampleRows } from "../../../src/house/history/worker-protocol.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";

export const T0 = Date.UTC(2026, 0, 15, 12);
export const DAY_MS = 86_400_000;

export interface Item {
  timestamp: string;
  attribute: string;
  value: unknown;
  count?: number;
}

export interface StoreRig {
  readonly store: Store;
  /** Time passes: both clocks. */
  at: Moment;
  readonly logged: string[];
  record(attribute: string, at: number, value: unknown, device?: string): void;
  flush(): boolean;
  compact(): void;
  retain(devices?: string[]): void;
  ask(query?: Partial<HistoryQuery>): Item[];
  page(query?: Partial<HistoryQuery>): { items: Item[]; next: number | undefined };
  reopen(): void;
}

export interface StoreRigOptions {
  path: string;
  timezone?: string;
  retentionDays?: number;
  maxBytes?: number;
  limits?: Partial<StoreLimits>;
}

export function createStoreRig({ path, timezone = "UTC", limits, ...rest }: StoreRigOptions): StoreRig {
  const logged: string[] = [];
  const write = (message: string): void => void logged.push(message);
  const log = { ...silentLog, info: write, warn: write, error: write };
  const at: Moment = { now: T0, mono: 0 };
  const open = (): Store =>
    openStore(
      {
        path,
        timezone,
        retentionDays: rest.retentionDays ?? 30,
        maxBytes: rest.maxBytes ?? 1e9,
        log,
        maxTextBytes: storeLimits.maxTextBytes,
        limits: { ...storeLimits, ...limits },
      },
      rig.at,
    );
  const drain = (steps: Generator<void>): void => {
    for (const _ of steps);
  };
  let rows: SampleRows = [];
  let store: Store | undefined;
  const rig: StoreRig = {
    get store() {
      store ??= open();
      return store;
    },
    at,
    logged,
    record(attribute, time, value, device = "lamp") {
      const stored = storedOf(value);
      if (typeof stored === "string") throw new Error(stored);
      rows = [device, attribute, time, stored.value, stored.type];
      rig.store.record(rows);
    },
    flush: () => rig.store.flush(rig.at),
    compact() {
      rig.flush();
      drain(rig.store.compact(rig.at));
    },
    retain: (devices) => drain(rig.store.retain(rig.at, devices)),
    ask: (query) => rig.page(query).items,
    page(query = {}) {
      const { text, next } = rig.store.query(
        {
          deviceId: "lamp",
          from: 0,
          to: T0 + 1000 * DAY_MS,
          limit: 10_000,
          aggregate: "avg",
          initial: false,
          format: "json",
          ...query,
        },
        rig.at,
      );
      return { items: JSON.parse(text) as Item[], next };
    },
    reopen() {
      store?.close(rig.at);
      store = undefined;
      void rig.store;
    },
  };
  void rig.store;
  return rig;
}

/** The file as a power cut would leave it now: with its log, and not closed. */
export function copyAsCut(path: string, to: string): void {
  for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) cpSync(path + suffix, to + suffix);
}

export const seconds = (items: readonly Item[]): unknown[][] =>
  items.map(({ timestamp, attribute, value }) => [(Date.parse(timestamp) - T0) / 1000, attribute, value]);
