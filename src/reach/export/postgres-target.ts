// Writes points to a table of PostgreSQL, which it makes if there is none; a hypertable where TimescaleDB is there.
import type { SQL } from "bun";
import type { HistoryExport } from "./config.ts";
import type { Point } from "./points.ts";
import { createPostgresConnection, type Row } from "./postgres-connection.ts";
import { ALL_TAKEN, SendFailure, type Target } from "./target.ts";

export interface PostgresTargetOptions {
  config: HistoryExport;
  ca: string | undefined;
  /** The table was missing: what was sent before is not there. */
  onNewTable: () => void;
}

const OLDEST_VERSION = 110_000;

export function openPostgresTarget({ config, ca, onNewTable }: PostgresTargetOptions): Target {
  const table = quoted(config.table);
  const connection = createPostgresConnection({
    ...{ config, ca },
    prepare: (sql) => prepareTable(sql, table, { config, onNewTable }),
  });
  const insert = insertInto(table);
  return {
    async send(points, signal) {
      const text = JSON.stringify(points.map(rowOf));
      await connection.run((sql) => sql.unsafe(insert, [text]), signal);
      return ALL_TAKEN;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

export function quoted(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part}"`)
    .join(".");
}

/** The keys are those of `insertInto`. */
function rowOf({ device, attribute, area, plugin, at, n, kind, value }: Point): Row {
  const row: Row = { t: at, d: device, a: attribute, n, r: area, p: plugin };
  if (kind === "number") row.v = value;
  else if (kind === "boolean") row.b = value === 1;
  else if (kind === "text") row.s = storable(String(value));
  else if (kind === "json") row.j = JSON.parse(storable(String(value)).replaceAll("\\u0000", "\\ufffd"));
  return row;
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

// One parameter, whatever the number of rows.
function insertInto(table: string): string {
  return `INSERT INTO ${table} (time, device, attribute, seq, area, plugin, value, bool, text, json)
    SELECT to_timestamp(t / 1000), d, a, n, r, p, v, b, s, j
    FROM json_to_recordset($1::text::json)
      AS x (t float8, d text, a text, n smallint, r text, p text, v float8, b boolean, s text, j jsonb)
    ON CONFLICT DO NOTHING`;
}

async function prepareTable(
  sql: SQL,
  table: string,
  { config, onNewTable }: Pick<PostgresTargetOptions, "config" | "onNewTable">,
): Promise<void> {
  const [found] = (await sql.unsafe(
    `SELECT current_setting('server_version_num')::int AS version, to_regclass($1) IS NOT NULL AS made,
       EXISTS (SELECT FROM pg_extension WHERE extname = 'timescaledb') AS timescale`,
    [table],
  )) as { version: number; made: boolean; timescale: boolean }[];
  const { host } = new URL(config.url);
  if (!found || found.version < OLDEST_VERSION)
    throw new SendFailure("setup", `what runs at ${host} is older than PostgreSQL 11`);
  if (found.made) return;
  await sql.begin(async (transaction) => {
    await transaction.unsafe(tableText(table));
    if (found.timescale) await transaction.unsafe("SELECT create_hypertable($1::regclass, 'time')", [table]);
  });
  onNewTable();
}

/** As docs/history-export.md shows it. */
function tableText(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
  time timestamptz NOT NULL,
  device text NOT NULL,
  attribute text NOT NULL,
  seq smallint NOT NULL,
  area text,
  plugin text,
  value double precision,
  bool boolean,
  text text,
  json jsonb,
  PRIMARY KEY (device, attribute, time, seq)
)`;
}
