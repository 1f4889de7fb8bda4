// Records so many samples a second for so long, with an export to `url` or without one, and prints what that took of the processor.
import { randomBytes } from "node:crypto";
import { HistorySection } from "../../../src/house/history/config.ts";
import { startHistory } from "../../../src/house/history/history.ts";
import { historyWorker } from "../../../src/house/history/worker-client.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { HistoryExports } from "../../../src/reach/export/config.ts";
import { startExports } from "../../../src/reach/export/exports.ts";
import { openExportMemory } from "../../../src/reach/export/memory.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { sectionOf } from "../../support/section.ts";

export interface ExportOrder {
  folder: string;
  url: string | undefined;
  perSecond: number;
  secs: number;
}

export interface ExportCost {
  cpuMs: number;
  sent: number;
  lagMs: number;
}

const STEP_MS = 50;
const DEVICES = 500;

async function main({ folder, url, perSecond, secs }: ExportOrder): Promise<ExportCost> {
  const common = { clock: systemClock, log: silentLog, random: (bytes: number) => randomBytes(bytes) };
  const feed = createEventFeed({ ...common, buffer: 10, mark: { load: () => 0, save() {} } });
  await using history = startHistory({
    ...common,
    ...{ feed, path: `${folder}/history.db`, flushSecs: 5, timezone: "UTC", worker: historyWorker() },
    config: sectionOf(HistorySection, {}),
  });
  using db = openStateDb(`${folder}/state.redb`, Date.now);
  const entries = url === undefined ? [] : [{ name: "sink", kind: "line_protocol", url, interval_secs: 1 }];
  await using exports = startExports({
    ...common,
    ...{ config: sectionOf(HistoryExports, entries), source: history, memory: openExportMemory(db), fetch },
    oldest: async () => 0,
    device: () => ({ area: "kitchen", areaName: "Kitchen", plugin: "zigbee", isPassword: () => false }),
    resolve: (path) => path,
  });
  const begun = process.cpuUsage();
  let n = 0;
  for (const start = performance.now(); performance.now() - start < secs * 1000; await Bun.sleep(STEP_MS)) {
    for (const due = ((performance.now() - start) / 1000) * perSecond; n < due; n++) {
      const [device_id, current] = [`meter_${n % DEVICES}`, { watts: n / 7 }];
      feed.emit({ type: "device_state_changed", device_id, previous: {}, current, changed: ["watts"] });
    }
  }
  const { user, system } = process.cpuUsage(begun);
  const [found] = exports.list();
  return { cpuMs: (user + system) / 1000, sent: found?.sent ?? 0, lagMs: found?.lagMs ?? 0 };
}

const order = JSON.parse(process.argv[2] ?? "{}") as ExportOrder;
process.stdout.write(`${JSON.stringify(await main(order))}\n`);
process.exit(0);
