// Records, exports to PostgreSQL, lets the hub's retention remove it all, and compares each page before with the one after.
import { withArchive } from "../../../src/house/history/archive.ts";
import { aggregates, type HistoryQuery } from "../../../src/house/history/worker-protocol.ts";
import { HistoryExport } from "../../../src/reach/export/config.ts";
import { openPostgresArchive } from "../../../src/reach/export/postgres-archive.ts";
import { createExportRig } from "../../reach/export/export-rig.ts";
import { sectionOf } from "../../support/section.ts";
import { POSTGRES } from "./engines.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SIZES = [900_000, HOUR_MS, DAY_MS, 7 * DAY_MS, 1_234_567];

/** The queries whose pages differ. */
export async function checkArchive(url: string): Promise<string[]> {
  await using rig = await createExportRig();
  const { clock, history, report } = rig.history;
  const entry = { name: "archive", kind: "postgres", url, ...POSTGRES, table: "old_history", read: true };
  const exports = await rig.start(entry);
  const caughtUp = () => rig.pass("it is caught up", () => (exports.list()[0]?.lagMs ?? DAY_MS) < 10_000, 5000);
  const start = clock.now();
  for (let n = 0; n < 400; n++) {
    clock.step(1_000_000 + ((n * 7919) % 600_000));
    report("lamp", { on: n % 3 === 0, ...(n % 11 > 0 && { w: Math.sin(n) * 20 }), mode: "ab"[n % 2], list: [n >> 3] });
  }
  const end = clock.now();
  await caughtUp();
  const base = { deviceId: "lamp", from: start - DAY_MS, to: end, limit: 10_000, initial: true } as const;
  const queries: HistoryQuery[] = [
    { ...base, aggregate: "avg", format: "json" },
    { ...base, aggregate: "avg", format: "json", from: start + DAY_MS },
    { ...base, aggregate: "avg", format: "csv", attributes: ["w"] },
    { ...base, aggregate: "avg", format: "json", bucketMs: HOUR_MS, limit: 50 },
    ...aggregates.flatMap((aggregate) =>
      SIZES.map((bucketMs): HistoryQuery => {
        return { ...base, aggregate, bucketMs, format: "json", from: start + 5_000_000 };
      }),
    ),
  ];
  const before = await Promise.all(queries.map((query) => history.query(query)));
  for (let day = 0; day < 36; day++) {
    clock.step(DAY_MS - HOUR_MS);
    await clock.advance(HOUR_MS);
    report("lamp", { w: day });
    await caughtUp();
  }
  await using archive = openPostgresArchive(sectionOf(HistoryExport, entry), undefined, clock);
  const reading = withArchive(history, archive, clock);
  const different: string[] = [];
  for (const [index, query] of queries.entries()) {
    const own = await history.query({ ...query, initial: false, to: start + DAY_MS });
    const page = await reading.query(query);
    const isSame = rounded(page.text) === rounded(before[index]?.text ?? "") && page.next === before[index]?.next;
    const isGone = own.text === "[]" || query.bucketMs !== undefined || query.format === "csv";
    if (!isSame || !isGone) different.push(JSON.stringify(query));
  }
  return different;
}

/** Sums in another order differ in the last digits. */
function rounded(text: string): string {
  return text.replace(/-?\d+\.\d{4,}/g, (number) => Number(number).toFixed(6));
}
