// Lays out a history of a year, or of another span, at once: the file is made by the hub's own opening and migrations, the rows by one INSERT …
// SELECT a series in the order of their key, as settling leaves them. Ten million take some ten seconds.
import { historyMigrations } from "../../../src/house/history/migrations/index.ts";
import { openDatabase } from "../../../src/server/db/open.ts";
import { ATTRIBUTES, DEVICES, deviceName } from "./house-load.ts";

export const YEAR_MS = 365 * 86_400_000;

export interface HistoryFileOptions {
  path: string;
  /** Of all series of the house together. */
  samples: number;
  /** Of one more series, `meter/power_w`; none where 0. */
  meterSamples: number;
  /** Epoch ms; the year ends here. */
  end: number;
  /** Instead of a year. */
  spanMs?: number;
}

/** The value of the i-th sample, in SQL, and its type in the file. */
const VALUES = {
  temperature: { sql: "round(20 + 5 * sin(i / 137.0) + (i % 7) / 10.0, 1)", type: null },
  humidity: { sql: "45 + i * 13 % 20", type: null },
  on: { sql: "i % 2", type: 1 },
  mode: { sql: "CASE i % 4 WHEN 0 THEN 'auto' WHEN 1 THEN 'heat' WHEN 2 THEN 'cool' ELSE 'off' END", type: null },
  power_w: { sql: "round(400 + 300 * sin(i / 911.0) + i % 50, 1)", type: null },
};

/** Samples of a series are spread over the span, each at a random moment of its share. */
export function buildHistoryFile({ path, samples, meterSamples, end, spanMs = YEAR_MS }: HistoryFileOptions): void {
  const { db } = openDatabase({ path, migrations: historyMigrations, now: Date.now, synchronous: "normal" });
  db.run("PRAGMA journal_mode = OFF");
  db.run("PRAGMA synchronous = OFF");
  const begin = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const add = (deviceId: string, attribute: keyof typeof VALUES, count: number): void => {
    const id = begin.get(deviceId, attribute)?.id ?? 0;
    const { sql, type } = VALUES[attribute];
    db.query(
      `INSERT INTO samples (series_id, at, n, value, type)
       WITH RECURSIVE number (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < ?3 - 1)
       SELECT ?1, ?2 + i * ?4 + abs(random()) % ?4, 0, ${sql}, ?5 FROM number`,
    ).run(id, end - spanMs, count, Math.floor(spanMs / count), type);
  };
  const each = Math.round(samples / (DEVICES * ATTRIBUTES.length));
  db.transaction(() => {
    for (let device = 0; each > 0 && device < DEVICES; device++)
      for (const attribute of ATTRIBUTES) add(deviceName(device), attribute, each);
    if (meterSamples > 0) add("meter", "power_w", meterSamples);
  })();
  // A log that is left behind would have the hub look at every page.
  db.run("PRAGMA journal_mode = WAL");
  db.close();
}
