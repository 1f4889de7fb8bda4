// Runs the queries of Grafana's dashboards in docs/grafana without Grafana: what it would put in place of its macros is put there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "bun";

interface Dashboard {
  panels: { title: string; targets: { expr?: string; rawSql?: string }[] }[];
  templating: { list: { name: string; query: string | { query: string } }[] };
}

export interface Window {
  /** Epoch ms. */
  from: number;
  to: number;
  area: string;
  device: string;
  attribute: string;
}

export interface QueryResult {
  title: string;
  rows: number;
}

function load(name: string): Dashboard {
  return JSON.parse(readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "grafana", name), "utf8"));
}

export async function askVictoriaMetrics(url: string, { from, to, ...chosen }: Window): Promise<QueryResult[]> {
  const { panels, templating } = load("house-victoriametrics.json");
  const times = { start: `${from / 1000}`, end: `${to / 1000}` };
  const filled = (text: string) =>
    text.replace(/\$(area|device|attribute)/g, (_, name: keyof typeof chosen) => chosen[name]);
  const ask = async (path: string, query: Record<string, string>) => {
    const response = await fetch(`${url}${path}?${new URLSearchParams({ ...times, ...query })}`);
    if (!response.ok) throw new Error(`${JSON.stringify(query)}: ${response.status} ${await response.text()}`);
    const { data } = (await response.json()) as { data: { result?: unknown[] } | unknown[] };
    return Array.isArray(data) ? data.length : (data.result?.length ?? 0);
  };
  const asked: QueryResult[] = [];
  for (const { title, targets } of panels)
    for (const { expr = "" } of targets)
      asked.push({ title, rows: await ask("/api/v1/query_range", { query: filled(expr), step: "1" }) });
  for (const { name, query } of templating.list) {
    const [, match = "", label = ""] =
      /^label_values\((.*),\s*(\w+)\)$/.exec(typeof query === "string" ? query : query.query) ?? [];
    asked.push({ title: `$${name}`, rows: await ask(`/api/v1/label/${label}/values`, { "match[]": filled(match) }) });
  }
  return asked;
}

export async function askPostgres(sql: SQL, { from, to, ...chosen }: Window): Promise<QueryResult[]> {
  const { panels, templating } = load("house-postgresql.json");
  const iso = (ms: number) => `'${new Date(ms).toISOString()}'`;
  const filled = (text: string) =>
    text
      .replace(/\$__timeGroupAlias\(time, [^)]*\)/g, 'floor(extract(epoch FROM time) / 60) * 60 AS "time"')
      .replaceAll("$__timeFilter(time)", `time BETWEEN ${iso(from)} AND ${iso(to)}`)
      .replace(/\$\{(\w+):sqlstring\}/g, (_, name: keyof typeof chosen) => `'${chosen[name]}'`);
  const asked: QueryResult[] = [];
  for (const { title, targets } of panels)
    for (const { rawSql = "" } of targets) asked.push({ title, rows: (await sql.unsafe(filled(rawSql))).length });
  for (const { name, query } of templating.list)
    asked.push({ title: `$${name}`, rows: (await sql.unsafe(filled(String(query)))).length });
  return asked;
}
