// The outbox on disk. The messages are read once, at the start; their texts only when needed.
import { storageFaultOf } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { OwnRows } from "../../../server/db/own-rows.ts";
import { numberIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Settled } from "../channel.ts";
import { type Relay, readOptions } from "../message-options.ts";
import { bytesOf, hashOf, type QueuedMessage, shortened, type Texts } from "./queued-message.ts";

export interface OutboxStore {
  /** All messages of earlier runs, in order. */
  load(): QueuedMessage[];
  /** Inserts, updates and deletes in one transaction, with rows of others; durable when it returns. */
  save(changes: Iterable<QueuedMessage | OwnRows>): void;
  /** The whole title, and at most `length` characters of the message. */
  texts(id: number, length?: number): Texts | undefined;
  /** Whether there is a row with this id, readable or not. */
  has(id: number): boolean;
}

interface StoredTexts extends Omit<Texts, "html"> {
  html: string | null;
}

/** A row as the hub writes it; one that it reads may hold anything. */
export interface Row extends StoredTexts {
  id: number;
  channel: string;
  message_id: string;
  at: number;
  count: number;
  tries: number;
  parts: number;
  last_error: string | null;
  options: string;
  settled: string | null;
  relay: string | null;
  kept_ms: number;
  tried_ms: number;
  not_before_ms: number;
}

const WHOLE = 2 ** 31 - 1;

export function createOutboxStore({ own: db, faults }: Pick<StateDb, "own" | "faults">, log: Log): OutboxStore {
  /** A message is kept also where the rows that belong to it cannot be. */
  function unlessFaulty(writeRows: OwnRows): void {
    try {
      writeRows();
    } catch (error) {
      if (storageFaultOf(error) !== undefined) throw error;
      log.error("what belongs to a notification cannot be written", { error: messageOf(error) });
    }
  }

  const all = db.query<Row, []>("SELECT * FROM outbox ORDER BY id");
  const read = db.query<StoredTexts, [number, number]>(
    "SELECT title, substr(message, 1, ?) AS message, html FROM outbox WHERE id = ?",
  );
  const insert = db.query(
    `INSERT OR REPLACE INTO outbox (id, channel, message_id, at, count, tries, parts, last_error, kept_ms, tried_ms,
       not_before_ms, title, message, options, settled, html, relay)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.query(
    `UPDATE outbox SET count = ?, tries = ?, parts = ?, last_error = ?, tried_ms = ?, not_before_ms = ?, settled = ?
     WHERE id = ?`,
  );
  const remove = db.query("DELETE FROM outbox WHERE id = ?");

  const write = db.transaction((messages: readonly QueuedMessage[], rows: readonly OwnRows[]) => {
    for (const writeRows of rows) unlessFaulty(writeRows);
    for (const message of messages) {
      const { id, count, tries, parts, lastError = null, triedMs, notBeforeMs, texts } = message;
      const settled = message.settled ? JSON.stringify(message.settled) : null;
      if (message.state === "gone") remove.run(id);
      else if (!texts) update.run(count, tries, parts, lastError, triedMs, notBeforeMs, settled, id);
      else {
        const { channel, messageId, at, keptMs, relay } = message;
        const kept = [id, channel, messageId, at, count, tries, parts, lastError, keptMs, triedMs, notBeforeMs];
        const { title, message: text, html = null } = texts;
        const more = [JSON.stringify(message.options), settled, html, relay ? JSON.stringify(relay) : null];
        insert.run(...kept, title, text, ...more);
      }
    }
  }).immediate;

  return {
    load: () => readEach(all.iterate(), readMessage, { faults, table: "outbox", keyOf: ({ id }) => id }),
    save(changes) {
      const all = [...changes];
      const messages = all.filter((one) => typeof one !== "function");
      const rows = all.filter((one) => typeof one === "function");
      write(messages, rows);
      for (const message of messages) message.texts = undefined;
    },
    texts(id, length = WHOLE) {
      const row = read.get(length, id);
      return row ? textsOf(row) : undefined;
    },
    has: (id) => db.query("SELECT 1 FROM outbox WHERE id = ?").get(id) !== null,
  };
}

/** Throws for a row that is none. */
export function readMessage(row: Row): QueuedMessage {
  const title = textIn(row.title, "title");
  const texts = textsOf({ title, message: textIn(row.message, "message"), html: row.html });
  const options = readOptions(row.options);
  return {
    id: row.id,
    channel: textIn(row.channel, "channel"),
    at: numberIn(row.at, 0),
    count: numberIn(row.count, 1),
    tries: numberIn(row.tries, 0),
    parts: numberIn(row.parts, 0),
    state: "waiting",
    messageId: textIn(row.message_id, "message_id"),
    title: shortened(title),
    options,
    settled: settledIn(row.settled),
    relay: relayIn(row.relay),
    keptMs: numberIn(row.kept_ms, 0),
    triedMs: numberIn(row.tried_ms, 0),
    notBeforeMs: numberIn(row.not_before_ms, 0),
    lastError: row.last_error === null ? undefined : textIn(row.last_error, "last_error"),
    bytes: bytesOf(texts),
    hash: hashOf(texts, options),
    wallAheadMs: undefined,
  };
}

/** What is not readable counts as nobody: a copy too many is better than none. */
function settledIn(text: string | null): Settled | undefined {
  const read = parseJson(text ?? "");
  if (!read.ok || !isObject(read.value)) return undefined;
  return { reached: textsIn(read.value.reached), refused: textsIn(read.value.refused) };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function textsOf({ title, message, html }: StoredTexts): Texts {
  return { title, message, ...(html !== null && { html: textIn(html, "html") }) };
}

function relayIn(text: string | null): Relay | undefined {
  const read = text === null ? undefined : parseJson(text);
  if (!read?.ok || !isObject(read.value)) return undefined;
  const { id, position } = read.value;
  return typeof id === "string" && typeof position === "number" ? { id, position } : undefined;
}
