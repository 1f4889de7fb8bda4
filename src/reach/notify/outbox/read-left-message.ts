// A row of another machine's outbox as a message of this one. Unlike the hub's own rows it comes over the network, so its sizes are
// bounded too.
import type { LeftMessage } from "./left-message.ts";
import { MAX_BYTES, type QueuedMessage } from "./queued-message.ts";
import { readMessage } from "./store.ts";

const MAX_NAME = 1000;
const MAX_JSON = 65_536;
/** What a date can be. */
const LATEST = 8.64e15;

/** As it would be if it had just been enqueued, except for `id` and `keptMs`, which are the other machine's; undefined for a row that is none. */
export function readLeftMessage(row: LeftMessage): QueuedMessage | undefined {
  const { at, channel, message_id, title, message, html = null } = row;
  if (typeof at !== "number" || !(at >= 0 && at <= LATEST)) return undefined;
  if (!isName(channel) || !isName(message_id) || typeof title !== "string" || typeof message !== "string")
    return undefined;
  if (html !== null && typeof html !== "string") return undefined;
  const [options, settled, relay] = [row.options ?? "{}", row.settled ?? null, row.relay ?? null];
  if (!isJson(options) || !(settled === null || isJson(settled)) || !(relay === null || isJson(relay)))
    return undefined;
  const texts = { title, message, ...(html !== null && { html }) };
  const read = readMessage({
    ...{ id: whole(row.id, 0), at: Math.round(at), count: whole(row.count, 1), parts: whole(row.parts, 0) },
    ...{ channel, message_id, title, message, html, options, settled, relay },
    ...{ tries: 0, last_error: null, kept_ms: 0, tried_ms: 0, not_before_ms: 0 },
  });
  return read.bytes <= MAX_BYTES ? { ...read, texts } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME;
}

function isJson(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_JSON;
}

function whole(value: unknown, least: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? Math.max(least, value) : least;
}
