// The outbox on disk. The messages are read once, at the start; their texts only when needed.
import { numberIn, readEach, textIn } from "../../db/rows.ts";
import type { StateDb } from "../../db/state-db.ts";
import { bytesOf, hashOf, type QueuedMessage, readOptions, shortened, type Texts } from "./queued-message.ts";

export interface OutboxStore {
  /** All messages of earlier runs, in order. */
  load(): QueuedMessage[];
  /** Inserts, updates and deletes in one transaction, durable when it returns. */
  save(messages: Iterable<QueuedMessage>): void;
  /** The whole title, and at most `length` characters of the message. */
  texts(id: number, length?: number): Texts | undefined;
}

interface Row extends Texts {
  id: number;
  channel: string;
  message_id: string;
  at: number;
  count: number;
  tries: number;
  parts: number;
  last_error: string | null;
  options: string;
  kept_ms: number;
  tried_ms: number;
  not_before_ms: number;
}

const WHOLE = 2 ** 31 - 1;

export function createOutboxStore({ own: db, faults }: Pick<StateDb, "own" | "faults">): OutboxStore {
  const all = db.query<Row, []>("SELECT * FROM outbox ORDER BY id");
  const read = db.query<Texts, [number, number]>(
    "SELECT title, substr(message, 1, ?) AS message FROM outbox WHERE id = ?",
  );
  const insert = db.query(
    `INSERT OR REPLACE INTO outbox (id, channel, message_id, at, count, tries, parts, last_error, kept_ms, tried_ms,
       not_before_ms, title, message, options) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.query(
    "UPDATE outbox SET count = ?, tries = ?, parts = ?, last_error = ?, tried_ms = ?, not_before_ms = ? WHERE id = ?",
  );
  const remove = db.query("DELETE FROM outbox WHERE id = ?");

  const write = db.transaction((messages: readonly QueuedMessage[]) => {
    for (const message of messages) {
      const { id, count, tries, parts, lastError = null, triedMs, notBeforeMs, texts } = message;
      if (message.state === "gone") remove.run(id);
      else if (!texts) update.run(count, tries, parts, lastError, triedMs, notBeforeMs, id);
      else {
        const { channel, messageId, at, keptMs } = message;
        const kept = [id, channel, messageId, at, count, tries, parts, lastError, keptMs, triedMs, notBeforeMs];
        insert.run(...kept, texts.title, texts.message, JSON.stringify(message.options));
      }
    }
  }).immediate;

  return {
    load: () => readEach(all.iterate(), queuedMessageOf, { faults, table: "outbox", keyOf: ({ id }) => id }),
    save(messages) {
      const list = [...messages];
      write(list);
      for (const message of list) message.texts = undefined;
    },
    texts: (id, length = WHOLE) => read.get(length, id) ?? undefined,
  };
}

function queuedMessageOf(row: Row): QueuedMessage {
  const title = textIn(row.title, "title");
  const texts = { title, message: textIn(row.message, "message") };
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
    keptMs: numberIn(row.kept_ms, 0),
    triedMs: numberIn(row.tried_ms, 0),
    notBeforeMs: numberIn(row.not_before_ms, 0),
    lastError: row.last_error === null ? undefined : textIn(row.last_error, "last_error"),
    bytes: bytesOf(texts),
    hash: hashOf(texts, options),
    wallAheadMs: undefined,
  };
}
