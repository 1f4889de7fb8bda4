// The whole history with its real worker, a feed for events, and a clock that the test moves.
import { randomBytes } from "node:crypto";
import { HistorySection } from "../../../src/house/history/config.ts";
import { type History, type HistoryOptions, startHistory } from "../../../src/house/history/history.ts";
import { historyWorker } from "../../../src/house/history/worker-client.ts";
import type { HistoryQuery } from "../../../src/house/history/worker-protocol.ts";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import { createEventFeed, type EventFeed } from "../../../src/server/events/feed.ts";
import { createTestOutput, type TestOutput } from "../../support/platform.ts";
import { sectionOf } from "../../support/section.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import type { Item } from "./store-rig.ts";

export interface HistoryRig extends AsyncDisposable {
  readonly history: History;
  readonly clock: VirtualClock;
  readonly feed: EventFeed;
  readonly output: TestOutput;
  /** A device's report with all its attributes; emits those that changed. */
  report(deviceId: string, current: Record<string, unknown>): void;
  ask(query?: Partial<HistoryQuery>): Promise<Item[]>;
}

export type HistoryRigOptions = Partial<Omit<HistoryOptions, "config">> & {
  path: string;
  config?: Partial<HistorySection>;
};

export function startHistoryRig({ config, ...options }: HistoryRigOptions): HistoryRig {
  const clock = createVirtualClock();
  const output = createTestOutput();
  const { log } = openLog({ clock, output, level: "debug" });
  const feed = createEventFeed({ clock, log, buffer: 10, mark: { load: () => 0, save() {} } });
  const history = startHistory({
    config: { ...sectionOf(HistorySection, { max_size_mb: 100 }), ...config },
    flushSecs: 1,
    clock,
    log,
    random: (bytes) => randomBytes(bytes),
    feed,
    timezone: "Europe/Berlin",
    worker: historyWorker(),
    ...options,
  });
  const reported = new Map<string, Record<string, unknown>>();
  return {
    history,
    clock,
    feed,
    output,
    report(deviceId, current) {
      const previous = reported.get(deviceId) ?? {};
      reported.set(deviceId, current);
      const names = new Set([...Object.keys(current), ...Object.keys(previous)]);
      const changed = [...names].filter((name) => !Object.is(current[name], previous[name]));
      feed.emit({ type: "device_state_changed", device_id: deviceId, previous, current, changed });
    },
    async ask(query = {}) {
      const { text } = await history.query({
        deviceId: "lamp",
        from: 0,
        to: Date.UTC(2100, 0),
        limit: 10_000,
        aggregate: "avg",
        initial: false,
        format: "json",
        ...query,
      });
      return JSON.parse(text) as Item[];
    },
    [Symbol.asyncDispose]: () => history[Symbol.asyncDispose](),
  };
}
