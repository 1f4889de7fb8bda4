// Reads what was exported to PostgreSQL: samples, and what buckets need to know of them.
import type { Clock } from "../../kit/time/clock.ts";
import type { HistoryExport } from "./config.ts";
import type { PointKind } from "./points.ts";
import { createPostgresConnection, type Row } from "./postgres-connection.ts";
import { quoted } from "./postgres-target.ts";
import { SendFailure } from "./target.ts";

export interface ArchiveRow {
  attribute: string;
  /** Epoch ms. */
  at: number;
  kind: PointKind;
  value: number | string | null;
}

interface Wanted {
  deviceId: string;
  attributes?: readonly string[] | undefined;
}

interface Span {
  from: number;
  to: number;
}

const ANSWER_MS = 20_000;

// $1 is the device, $2 the attributes as JSON, or null for all.
const chosen = (column: string): string =>
  `($2::text IS NULL OR ${column} IN (SELECT json_array_elements_text($2::text::json)))`;
const WANTED = `device = $1 AND ${chosen("attribute")}`;
const AT = "(extract(epoch FROM time) * 1000)::float8 AS at";
const moment = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;

/** The interface is the history's: see house/history/archive.ts. */
export function openPostgresArchive(config: HistoryExport, ca: string | undefined, clock: Pick<Clock, "after">) {
  const connection = createPostgresConnection({ config, ca });
  const table = quoted(config.table);

  async function rows(text: string, { deviceId, attributes }: Wanted, ...rest: unknown[]): Promise<Row[]> {
    const timeout = new AbortController();
    const timer = clock.after("archive", ANSWER_MS, () =>
      timeout.abort(new SendFailure("later", `PostgreSQL does not answer within ${ANSWER_MS / 1000} seconds`)),
    );
    const names = attributes === undefined ? null : JSON.stringify(attributes);
    try {
      return await connection.run((sql) => sql.unsafe(text, [deviceId, names, ...rest]), timeout.signal);
    } finally {
      timer[Symbol.dispose]();
    }
  }

  return {
    async attributes(wanted: Wanted): Promise<string[]> {
      const text = `${attributesOf(table)} SELECT attribute FROM names
        WHERE attribute IS NOT NULL AND ${chosen("attribute")}`;
      return (await rows(text, wanted)).map(({ attribute }) => String(attribute));
    },
    async samples({ from, to, limit, ...wanted }: Wanted & Span & { limit: number }): Promise<ArchiveRow[]> {
      const text = `SELECT attribute, ${AT}, value, bool, text, json::text AS json FROM ${table}
        WHERE ${WANTED} AND time >= ${moment("$3")} AND time < ${moment("$4")}
        ORDER BY time, attribute, seq LIMIT $5`;
      return (await rows(text, wanted, from, to, limit)).map(archiveRow);
    },
    async lastBefore({ at, ...wanted }: Wanted & { at: number }): Promise<ArchiveRow[]> {
      const text = `${attributesOf(table)}
        SELECT last.* FROM names CROSS JOIN LATERAL (
          SELECT attribute, ${AT}, value, bool, text, json::text AS json FROM ${table}
          WHERE device = $1 AND attribute = names.attribute AND time < ${moment("$3")}
          ORDER BY time DESC, seq DESC LIMIT 1
        ) AS last
        WHERE ${chosen("last.attribute")}`;
      return (await rows(text, wanted, at)).map(archiveRow);
    },
    async summaries({ from, to, starts, ...wanted }: Wanted & Span & { starts: readonly number[] }) {
      const ends = [...starts.slice(1), to];
      const found = await rows(summariesOf(table), wanted, from, to, JSON.stringify(starts), JSON.stringify(ends));
      return found.map((row) => ({
        bucket: Number(row.bucket) - 1,
        at: Number(row.first_at),
        count: Number(row.count),
        min: numberIn(row.min),
        max: numberIn(row.max),
        mean: numberIn(row.mean),
        meanMs: Number(row.mean_ms),
        last: archiveRow(row),
      }));
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** The names of the device's attributes: one step in the index for each, however many rows it has. */
function attributesOf(table: string): string {
  return `WITH RECURSIVE names AS (
    (SELECT attribute FROM ${table} WHERE device = $1 ORDER BY attribute LIMIT 1)
    UNION ALL
    SELECT (SELECT next.attribute FROM ${table} AS next
      WHERE next.device = $1 AND next.attribute > names.attribute ORDER BY next.attribute LIMIT 1)
    FROM names WHERE names.attribute IS NOT NULL
  )`;
}

// A row for each attribute and bucket with samples; `ms` is how long a value lasted within its bucket.
function summariesOf(table: string): string {
  const moments = (parameter: string): string =>
    `ARRAY(SELECT to_timestamp(x::float8 / 1000) FROM json_array_elements_text(${parameter}::text::json)
      WITH ORDINALITY AS e (x, i) ORDER BY i)`;
  return `WITH bounds AS (SELECT ${moments("$5")} AS starts, ${moments("$6")} AS ends),
    found AS (
      SELECT attribute, time, seq, value, bool, text, json, coalesce(value, bool::int) AS number,
        width_bucket(time, starts) AS bucket
      FROM ${table}, bounds
      WHERE ${WANTED} AND time >= ${moment("$3")} AND time < ${moment("$4")}
    ),
    lasting AS (
      SELECT found.*,
        (extract(epoch FROM coalesce(lead(time) OVER forwards, ends[bucket]) - time) * 1000)::float8 AS ms,
        row_number() OVER (PARTITION BY attribute, bucket ORDER BY time DESC, seq DESC) = 1 AS is_last
      FROM found, bounds
      WINDOW forwards AS (PARTITION BY attribute, bucket ORDER BY time, seq)
    )
    SELECT attribute, bucket, (extract(epoch FROM min(time)) * 1000)::float8 AS first_at,
      (extract(epoch FROM max(time)) * 1000)::float8 AS at, count(*)::int AS count, min(number) AS min, max(number) AS max,
      CASE WHEN sum(ms) FILTER (WHERE number IS NOT NULL) > 0
        THEN sum(number * ms) FILTER (WHERE number IS NOT NULL) / sum(ms) FILTER (WHERE number IS NOT NULL) END AS mean,
      coalesce(sum(ms) FILTER (WHERE number IS NOT NULL), 0) AS mean_ms,
      max(value) FILTER (WHERE is_last) AS value, bool_or(bool) FILTER (WHERE is_last) AS bool,
      max(text) FILTER (WHERE is_last) AS text, max(json::text) FILTER (WHERE is_last) AS json
    FROM lasting GROUP BY attribute, bucket ORDER BY attribute, bucket`;
}

function archiveRow({ attribute, at, value, bool, text, json }: Row): ArchiveRow {
  const row = { attribute: String(attribute), at: Math.round(Number(at)) };
  if (typeof value === "number") return { ...row, kind: "number", value };
  if (typeof bool === "boolean") return { ...row, kind: "boolean", value: Number(bool) };
  if (typeof text === "string") return { ...row, kind: "text", value: text };
  // As the hub writes it, without blanks.
  if (typeof json === "string") return { ...row, kind: "json", value: JSON.stringify(JSON.parse(json)) };
  return { ...row, kind: "removed", value: null };
}

function numberIn(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
