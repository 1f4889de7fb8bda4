// Writes samples of the other hub's history, by device and attribute: the rows of its series have other numbers here.
import type { Database } from "bun:sqlite";
import { HubError } from "../../../kit/schema/errors.ts";
import type { HistoryAnswer } from "../protocol.ts";

export interface SeriesRows {
  /** Within a transaction. Returns the time of the newest, in epoch ms. Samples that are there stay. Throws HubError `invalid`. */
  insert(series: HistoryAnswer["series"]): number;
  /** The rows may have changed: they are read again. */
  forget(): void;
}

const WIDTH = 4;
const MAX_TYPE = 3;

export function createSeriesRows(db: Database): SeriesRows {
  let ids: Map<string, number> | undefined;
  const insertSeries = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const insertSample = db.query("INSERT OR IGNORE INTO samples (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");

  function idOf(device: string, attribute: string): number {
    ids ??= readIds(db);
    const key = keyOf(device, attribute);
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = insertSeries.get(device, attribute)?.id ?? 0;
    ids.set(key, id);
    return id;
  }

  return {
    insert(series) {
      let newest = Number.NEGATIVE_INFINITY;
      for (const row of series) {
        const [device, attribute] = row;
        if (typeof device !== "string" || typeof attribute !== "string" || row.length % WIDTH !== 2) throw unreadable();
        const id = idOf(device, attribute);
        for (let index = 2; index < row.length; index += WIDTH) {
          const [at, n, value = null, type = null] = [row[index], row[index + 1], row[index + 2], row[index + 3]];
          if (!isCount(at) || !isCount(n) || !(type === null || (isCount(type) && type <= MAX_TYPE)))
            throw unreadable();
          insertSample.run(id, at, n, value, type);
          if (at > newest) newest = at;
        }
      }
      return newest;
    },
    forget() {
      ids = undefined;
    },
  };
}

function readIds(db: Database): Map<string, number> {
  const rows = db.query<{ id: number; device_id: string; attribute: string }, []>("SELECT * FROM series");
  return new Map(rows.all().map(({ id, device_id, attribute }) => [keyOf(device_id, attribute), id]));
}

const keyOf = (device: string, attribute: string): string => `${device}\0${attribute}`;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function unreadable(): HubError {
  return new HubError("invalid", "the other hub's history cannot be read: it is another version's, or cut");
}
