// The outbox on disk. Order and bookkeeping are read once, at the start; texts when they are wanted.
import { numberIn, readEach, textIn } from "../../db/rows.ts";
import type { StateDb } from "../../db/state-db.ts";
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

export function createOutboxStore({ own: db, faults }: Pick<StateDb, "own" | "faults">): OutboxStore {
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
    load: () => readEach(all.iterate(), letterOf, { faults, table: "outbox", keyOf: ({ id }) => id }),
    save(letters) {
      const list = [...letters];
      write(list);
      for (const letter of list) letter.texts = undefined;
    },
    texts: (id, length = WHOLE) => read.get(length, id) ?? undefined,
  };
}

function letterOf(row: Row): Letter {
  const title = textIn(row.title, "title");
  const texts = { title, message: textIn(row.message, "message") };
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
    keptMs: numberIn(row.kept_ms, 0),
    triedMs: numberIn(row.tried_ms, 0),
    notBeforeMs: numberIn(row.not_before_ms, 0),
    lastError: row.last_error === null ? undefined : textIn(row.last_error, "last_error"),
    bytes: bytesOf(texts),
    likeness: likenessOf(texts),
    wallAheadMs: undefined,
  };
}
