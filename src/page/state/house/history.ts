// Recorded values of a device: each change where there are few, and lowest, mean and highest of short stretches where there are many.
import type { Json } from "../../model/device/json.ts";
import type { Sample, Track, Window } from "../../model/plot/track.ts";
import { ask } from "../hub/api.ts";

// What a line of some hundred pixels can show.
const MAX_SAMPLES = 3000;
const PAGE = 10_000;
const STRETCHES = 240;
const STRETCH_SECS = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400, 604_800];
const MAX_CSV_PAGES = 1000;

/** Throws ApiError. `present`: the values now, which say what is a line where nothing was recorded. */
export async function readTracks(
  id: string,
  names: readonly string[],
  { from, to }: Window,
  present: Readonly<Record<string, Json>>,
): Promise<Track[]> {
  if (names.length === 0) return [];
  const wanted = queryOf(names, { from, to });
  const { rows, more } = await page(id, { ...wanted, limit: String(MAX_SAMPLES) });
  const samples = byName(rows, names);
  const kinds = new Map(names.map((name) => [name, kindOf(samples.get(name) ?? [], ownValue(present, name))]));
  const exact = names.map((name): Track => ({ ...trackOf(name, kinds), samples: samples.get(name) ?? [] }));
  if (!more) return exact;
  const lines = names.filter((name) => kinds.get(name) === "line");
  const bars = names.filter((name) => kinds.get(name) === "bar");
  return [...(await stretches(id, lines, { from, to })), ...(await states(id, bars, { from, to }))];
}

function trackOf(name: string, kinds: ReadonlyMap<string, Track["kind"]>): Omit<Track, "samples"> {
  return { name, kind: kinds.get(name) ?? "bar" };
}

/** The last value that there is decides: a device may have changed its mind. */
function kindOf(samples: readonly Sample[], present: Json | undefined): Track["kind"] {
  const last = present ?? samples.findLast(({ value }) => value !== null)?.value;
  return typeof last === "number" ? "line" : "bar";
}

export function ownValue(values: Readonly<Record<string, Json>>, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

async function stretches(id: string, names: readonly string[], window: Window): Promise<Track[]> {
  if (names.length === 0) return [];
  const secs = (window.to - window.from) / 1000 / STRETCHES;
  const bucket = String(STRETCH_SECS.find((one) => one >= secs) ?? 604_800);
  const read = async (agg: string) => {
    const { rows } = await page(id, { ...queryOf(names, window), bucket, agg });
    return byName(rows, names);
  };
  const [mean, low, high] = await Promise.all([read("avg"), read("min"), read("max")]);
  return names.map((name) => ({
    name,
    kind: "line",
    samples: mean.get(name) ?? [],
    band: { low: low.get(name) ?? [], high: high.get(name) ?? [] },
  }));
}

/** States have no mean: what is more than a page is the last state of each stretch. */
async function states(id: string, names: readonly string[], window: Window): Promise<Track[]> {
  if (names.length === 0) return [];
  let { rows, more } = await page(id, { ...queryOf(names, window), limit: String(PAGE) });
  if (more) {
    const bucket = String(Math.ceil((window.to - window.from) / 1000 / STRETCHES));
    ({ rows } = await page(id, { ...queryOf(names, window), bucket, agg: "last" }));
  }
  const samples = byName(rows, names);
  return names.map((name) => ({ name, kind: "bar", samples: samples.get(name) ?? [] }));
}

interface Row {
  timestamp: string;
  attribute: string;
  value: Json;
}

function queryOf(names: readonly string[], { from, to }: Window): Record<string, string> {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  // Names are a list with commas: one that has a comma itself is found among all.
  return names.some((name) => name.includes(",")) ? range : { ...range, attribute: names.join(",") };
}

function addressOf(id: string, query: Record<string, string>): string {
  return `/devices/${encodeURIComponent(id)}/history?${new URLSearchParams(query)}`;
}

async function page(id: string, query: Record<string, string>): Promise<{ rows: Row[]; more: boolean }> {
  const answer = await ask("GET", addressOf(id, query));
  return { rows: (await answer.json()) as Row[], more: answer.headers.has("link") };
}

function byName(rows: readonly Row[], names: readonly string[]): Map<string, Sample[]> {
  const found = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (const { timestamp, attribute, value } of rows)
    found.get(attribute)?.push({ at: Date.parse(timestamp), value: value ?? null });
  return found;
}

/** All changes of the time as one CSV file, page by page. Throws ApiError. */
export async function readCsv(
  id: string,
  names: readonly string[],
  window: Window,
  onRows: (count: number) => void,
): Promise<Blob> {
  const parts: string[] = [];
  let rows = 0;
  let next: string | undefined = addressOf(id, { ...queryOf(names, window), format: "csv", limit: String(PAGE) });
  for (let pages = 0; next !== undefined && pages < MAX_CSV_PAGES; pages++) {
    const answer = await ask("GET", next, { timeoutMs: 60_000 });
    const text = await answer.text();
    const body = parts.length === 0 ? text : text.slice(text.indexOf("\r\n") + 2);
    parts.push(body);
    rows += Math.max(0, body.split("\r\n").length - 2);
    onRows(rows);
    next = /<[^>]*?\/api\/v1([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return new Blob(parts, { type: "text/csv;charset=utf-8" });
}
