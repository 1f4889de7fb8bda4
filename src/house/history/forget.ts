// Attributes that are passwords since some moment: what was recorded of them before is removed.
import type { Database } from "bun:sqlite";
import type { SampleBuffer } from "./sample-buffer.ts";
import type { ForgottenSeries } from "./worker-protocol.ts";

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
