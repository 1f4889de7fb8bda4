// Removes from the copy what the other hub's retention has removed; as there (house/history/store/retention.ts), the last sample before the cut
// stays, as its value lasts beyond it.
import type { Database } from "bun:sqlite";
import { REMOVED } from "../../../house/history/sample.ts";
import type { SeriesRows } from "./history-series.ts";

/** The key of house/history/store/retention.ts: a hub that starts from the copy goes on there. */
const CUT = "age_cut";

/** Within a transaction. `cut` is in epoch ms. */
export function cutHistory(db: Database, cut: number, series: Pick<SeriesRows, "forget">): void {
  const before = db.query<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?").get(CUT)?.value ?? 0;
  if (cut === before || cut <= 0) return;
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(CUT, cut);
  if (cut < before) return;
  const last = db.query<{ at: number; n: number; type: number | null }, [number, number]>(
    "SELECT at, n, type FROM samples WHERE series_id = ? AND at < ? ORDER BY at DESC, n DESC LIMIT 1",
  );
  const remove = db.query("DELETE FROM samples WHERE series_id = ? AND (at, n) < (?, ?)");
  for (const { id } of db.query<{ id: number }, []>("SELECT id FROM series").all()) {
    const kept = last.get(id, cut);
    if (kept) remove.run(id, kept.at, kept.type === REMOVED ? kept.n + 1 : kept.n);
  }
  db.run("DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM samples WHERE series_id = series.id)");
  series.forget();
}
