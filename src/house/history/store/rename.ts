// Attributes that have another name since some moment: what was recorded before it goes on under the present name, and what
// comes since under the former one is a series of its own.
import type { Database } from "bun:sqlite";
import type { ForgottenSeries, RenamedSeries } from "../worker-protocol.ts";
import type { MergedSeries } from "./merge.ts";
import type { Arrival, SampleBuffer } from "./sample-buffer.ts";

/** What is called now what was reported under this name at that time. */
export type NameAt = (deviceId: string, attribute: string, at: number) => string;

/** Once more, it changes nothing. Throws what SQLite throws; then nothing is renamed. */
export function renameSeries(db: Database, buffer: SampleBuffer, all: readonly RenamedSeries[]): void {
  const due = all.filter((one) => hasFormer(db, buffer, one));
  if (due.length === 0) return;
  db.transaction(() => {
    for (const one of due) renameOne(db, one);
  }).immediate();
  buffer.reload(db, (arrival) => nameOf(arrival, due));
}

function nameOf({ series: { deviceId, attribute }, sample }: Arrival, all: readonly RenamedSeries[]): string {
  const isIt = (one: RenamedSeries): boolean =>
    one.deviceId === deviceId && one.from === attribute && sample.at < one.at;
  return all.find(isIt)?.to ?? attribute;
}

function hasFormer(db: Database, buffer: SampleBuffer, { deviceId, from, at }: RenamedSeries): boolean {
  const series = buffer.series.find(deviceId, from);
  if (!series) return false;
  if ((series.buffered[0]?.at ?? at) < at) return true;
  return (
    series.id > 0 &&
    db.query("SELECT 1 FROM samples WHERE series_id = ? AND at < ? LIMIT 1").get(series.id, at) !== null
  );
}

function renameOne(db: Database, { deviceId, from, to, at }: RenamedSeries): void {
  const idOf = db.query<{ id: number }, [string, string]>(
    "SELECT id FROM series WHERE device_id = ? AND attribute = ?",
  );
  const former = idOf.get(deviceId, from)?.id;
  // All of it waits in memory.
  if (former === undefined) return;
  const present = idOf.get(deviceId, to)?.id;
  if (present === undefined && !hasLater(db, former, at)) {
    db.query("UPDATE series SET attribute = ? WHERE id = ?").run(to, former);
    return;
  }
  const insert = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const target = present ?? insert.get(deviceId, to)?.id ?? 0;
  db.query("UPDATE recent SET series_id = ? WHERE series_id = ? AND at < ?").run(target, former, at);
  db.query("UPDATE OR IGNORE samples SET series_id = ? WHERE series_id = ? AND at < ?").run(target, former, at);
  db.query("DELETE FROM samples WHERE series_id = ? AND at < ?").run(former, at);
}

function hasLater(db: Database, id: number, at: number): boolean {
  const later = (table: "samples" | "recent"): boolean =>
    db.query(`SELECT 1 FROM ${table} WHERE series_id = ? AND at >= ? LIMIT 1`).get(id, at) !== null;
  return later("samples") || later("recent");
}

const WIDTH = 4;

/** What another machine recorded, under the present names. */
export function underPresentNames(all: MergedSeries, nameAt: NameAt): MergedSeries {
  return all.flatMap(([deviceId, attribute, ...rest]): MergedSeries => {
    const rows = new Map<string, MergedSeries[number]>();
    for (let index = 0; index < rest.length; index += WIDTH) {
      const name = nameAt(String(deviceId), String(attribute), Number(rest[index]));
      const row = rows.get(name) ?? [deviceId ?? null, name];
      rows.set(name, row);
      row.push(...rest.slice(index, index + WIDTH));
    }
    return [...rows.values()];
  });
}

/** Attributes that are passwords since some moment: what was recorded of them before is removed. */
const TABLES = ["recent", "samples", "rollups"] as const;

/** Once more, it changes nothing. Throws what SQLite throws; then nothing is removed. */
export function forgetSeries(db: Database, buffer: SampleBuffer, all: readonly ForgottenSeries[]): void {
  const doomed = new Set(all.flatMap(({ deviceId, attribute }) => buffer.series.find(deviceId, attribute) ?? []));
  if (doomed.size === 0) return;
  // Otherwise SQLite only marks as free what is removed, and the password stays in the file.
  db.run("PRAGMA secure_delete = ON");
  try {
    db.transaction(() => {
      for (const { id } of doomed) {
        for (const table of TABLES) db.query(`DELETE FROM ${table} WHERE series_id = ?`).run(id);
        db.query("DELETE FROM series WHERE id = ?").run(id);
      }
    }).immediate();
  } finally {
    db.run("PRAGMA secure_delete = OFF");
  }
  buffer.reload(db, ({ series }) => (doomed.has(series) ? undefined : series.attribute));
}
