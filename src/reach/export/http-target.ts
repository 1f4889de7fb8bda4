// Sends line protocol over HTTP, and understands what the services answer.
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { messageOf, systemCode } from "../../kit/schema/errors.ts";
import { type HistoryExport, hasNoPath } from "./config.ts";
import { linesOf } from "./line-protocol.ts";
import type { Point } from "./points.ts";
import { ALL_TAKEN, SendFailure, type Sent, type Target } from "./target.ts";

const gzip = promisify(gzipWithCallback);
/** Lines are made in steps of so many points: the event loop goes on between two. */
const STEP = 1000;
const MAX_ANSWER = 4096;
const MAX_RETRY_MS = 3_600_000;

export interface HttpTargetOptions {
  config: HistoryExport;
  fetch: typeof fetch;
  /** The text of the file `ca`. */
  ca: string | undefined;
}

export function openHttpTarget({ config, fetch, ca }: HttpTargetOptions): Target {
  const url = writeUrl(config);
  const headers = headersOf(config, url);

  async function bodyOf(points: readonly Point[]): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const lines: string[] = [];
    for (const group of groupsOf(points)) {
      lines.push(...linesOf(group, { booleansAsNumbers: config.booleans_as_numbers }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (lines.length === 0) return undefined;
    const text = Buffer.from(`${lines.join("\n")}\n`);
    return config.gzip ? new Uint8Array(await gzip(text, { level: 3 })) : new Uint8Array(text);
  }

  return {
    async send(points, signal) {
      const body = await bodyOf(points);
      if (!body) return ALL_TAKEN;
      let response: Response;
      let text: string;
      try {
        response = await fetch(url, {
          method: "POST",
          headers,
          body,
          redirect: "manual",
          signal,
          ...(ca !== undefined && { tls: { ca } }),
        });
        text = await beginning(response);
      } catch (error) {
        throw new SendFailure("later", `${url.host} does not answer: ${reasonOf(error, signal)}`);
      }
      return readAnswer(response, text, config, url);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Never parts what one device reported at one time: it becomes one line. */
function* groupsOf(points: readonly Point[]): Iterable<Point[]> {
  const byDevice = Map.groupBy(points, ({ device }) => device);
  let group: Point[] = [];
  for (const some of byDevice.values()) {
    group = group.concat(some);
    if (group.length < STEP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** A path that was given is kept; otherwise the one of InfluxDB 2 where there is a bucket, of InfluxDB 1 elsewhere. */
export function writeUrl({ url: base, bucket, org, database }: HistoryExport): URL {
  const url = new URL(base);
  if (hasNoPath(base)) url.pathname = bucket === undefined ? "/write" : "/api/v2/write";
  for (const [key, value] of Object.entries({ org, bucket, db: database }))
    if (value !== undefined) url.searchParams.set(key, value);
  url.searchParams.set("precision", "ms");
  return url;
}

function headersOf({ token, username, password = "", gzip }: HistoryExport, url: URL): Record<string, string> {
  const scheme = url.pathname.includes("/api/v2/") ? "Token" : "Bearer";
  const basic = () => `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const authorization = token !== undefined ? `${scheme} ${token}` : username !== undefined ? basic() : undefined;
  return {
    "content-type": "text/plain; charset=utf-8",
    ...(gzip && { "content-encoding": "gzip" }),
    ...(authorization !== undefined && { authorization }),
  };
}

async function beginning(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  while (reader && text.length < MAX_ANSWER) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text.slice(0, MAX_ANSWER);
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return messageOf(signal.reason);
  const code = systemCode(error);
  return code === "ConnectionRefused" || code === "ECONNREFUSED"
    ? "nothing listens at that port"
    : messageOf(error).slice(0, 200);
}

function readAnswer(response: Response, text: string, config: HistoryExport, url: URL): Sent {
  const { status } = response;
  const said = saidIn(text);
  if (status === 204 || (status === 200 && text.trim() === "")) return ALL_TAKEN;
  if (status >= 200 && status < 300)
    throw new SendFailure("setup", `what answers at ${url.host} does not take line protocol: see url`);
  if (status >= 300 && status < 400)
    throw new SendFailure("setup", `${url.host} sends the hub elsewhere (${status}): put that address into url`);
  // InfluxDB took the other lines.
  if ((status === 400 || status === 422) && /partial write/i.test(text)) return { refused: droppedIn(text), why: said };
  switch (status) {
    case 400:
    case 413:
    case 422:
      throw new SendFailure("content", `${url.host} refuses (${status}): ${said}`);
    case 401:
      throw new SendFailure("setup", `${url.host} does not accept the ${config.token ? "token" : "user and password"}`);
    case 403:
      throw new SendFailure("setup", `${url.host} does not let this ${config.token ? "token" : "user"} write: ${said}`);
    case 404:
      throw new SendFailure("setup", `${url.host} has no such ${placeIn(config)}: ${said}`);
    case 415:
      throw new SendFailure("setup", `${url.host} takes nothing compressed: set gzip = false`);
    case 429:
    case 503:
      throw new SendFailure("later", `${url.host} is busy (${status})`, { retryAfterMs: retryAfter(response) });
    default:
      throw status >= 500
        ? new SendFailure("later", `${url.host} fails (${status}): ${said}`)
        : new SendFailure("setup", `${url.host} answers with the status ${status}: ${said}`);
  }
}

function placeIn({ bucket, database }: HistoryExport): string {
  if (bucket !== undefined) return `bucket as "${bucket}", or org, or path`;
  return database === undefined ? "path, or needs database" : `database as "${database}": make it, or mend the name`;
}

/** One line of what a service says for people. */
function saidIn(text: string): string {
  let message = text;
  try {
    const { error, message: inner, data } = JSON.parse(text);
    const first = Array.isArray(data) ? data[0]?.error_message : undefined;
    message = [error, inner, first].filter((part) => typeof part === "string").join(": ") || text;
  } catch {
    // Not every service answers in JSON.
  }
  return message.replace(/\s+/g, " ").trim().slice(0, 300) || "it does not say why";
}

/** InfluxDB 1 and 2 give the number, InfluxDB 3 a list. */
function droppedIn(text: string): number {
  const named = /dropped[= ](\d+)/.exec(text)?.[1];
  return named === undefined ? Math.max(1, text.split('"line_number"').length - 1) : Number(named);
}

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_MS, Math.max(0, seconds * 1000)) : undefined;
}
