// The outbox on disk. Order and bookkeeping are read once, at the start; texts when they are wanted.
import type { Database } from "bun:sqlite";
import { bytesOf, type Letter, likenessOf, shortened, type Texts } from "./letter.ts";

export interface OutboxStore {
  /** All of them in their order, as those of an earlier run. */
  load(): Letter[];
  /** In one transaction, durable when it returns: new ones with their texts, others' bookkeeping; gone ones go. */
  save(letters: Iterable<Letter>): void;
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
  kept_ms: number;
  tried_ms: number;
  not_before_ms: number;
}

const WHOLE = 2 ** 31 - 1;

export function createOutboxStore(db: Database): OutboxStore {
  const all = db.query<Row, []>("SELECT * FROM outbox ORDER BY id");
  const read = db.query<Texts, [number, number]>(
    "SELECT title, substr(message, 1, ?) AS message FROM outbox WHERE id = ?",
  );
  const insert = db.query(
    `INSERT OR REPLACE INTO outbox (id, channel, message_id, at, count, tries, parts, last_error, kept_ms, tried_ms,
       not_before_ms, title, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.query(
    "UPDATE outbox SET count = ?, tries = ?, parts = ?, last_error = ?, tried_ms = ?, not_before_ms = ? WHERE id = ?",
  );
  const remove = db.query("DELETE FROM outbox WHERE id = ?");

  const write = db.transaction((letters: readonly Letter[]) => {
    for (const letter of letters) {
      const { id, count, tries, parts, lastError = null, triedMs, notBeforeMs, texts } = letter;
      if (letter.state === "gone") remove.run(id);
      else if (!texts) update.run(count, tries, parts, lastError, triedMs, notBeforeMs, id);
      else {
        const { channel, messageId, at, keptMs } = letter;
        const kept = [id, channel, messageId, at, count, tries, parts, lastError, keptMs, triedMs, notBeforeMs];
        insert.run(...kept, texts.title, texts.message);
      }
    }
  }).immediate;

  return {
    load: () => Array.from(all.iterate(), letterOf),
    save(letters) {
      const list = [...letters];
      write(list);
      for (const letter of list) letter.texts = undefined;
    },
    texts: (id, length = WHOLE) => read.get(length, id) ?? undefined,
  };
}

function letterOf(row: Row): Letter {
  const { id, channel, at, count, tries, parts } = row;
  return {
    ...{ id, channel, at, count, tries, parts, state: "waiting" },
    messageId: row.message_id,
    title: shortened(row.title),
    keptMs: row.kept_ms,
    triedMs: row.tried_ms,
    notBeforeMs: row.not_before_ms,
    lastError: row.last_error ?? undefined,
    bytes: bytesOf(row),
    likeness: likenessOf(row),
    wallAheadMs: undefined,
  };
}
