// The messages that are held back for people, on disk.
import { parseJson } from "../../../kit/schema/json.ts";
import { numberIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";

export interface HeldMessage {
  /** Ascending in the order of posting; never used again. */
  readonly id: number;
  readonly person: string;
  /** The person's channels then. */
  readonly channels: readonly string[];
  /** Epoch ms. */
  readonly at: number;
  /** How often it came; without texts, how many had no room. */
  count: number;
  /** Plain texts. */
  readonly texts: { readonly title: string; readonly message: string } | undefined;
  gone?: boolean;
}

export interface HeldStore {
  load(): HeldMessage[];
  /** Greater than every id that was used. */
  nextId(): number;
  /** Inserts, updates and deletes, durable when it returns. */
  save(messages: Iterable<HeldMessage>): void;
}

interface Row {
  id: number;
  person: string;
  channels: string;
  at: number;
  count: number;
  title: string | null;
  message: string | null;
}

export function createHeldStore({ own: db, faults }: Pick<StateDb, "own" | "faults">): HeldStore {
  const all = db.query<Row, []>("SELECT * FROM held_messages ORDER BY id");
  const put = db.query("INSERT OR REPLACE INTO held_messages VALUES (?, ?, ?, ?, ?, ?, ?)");
  const remove = db.query("DELETE FROM held_messages WHERE id = ?");
  const last = db.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'held_messages'");
  const write = db.transaction((messages: Iterable<HeldMessage>) => {
    for (const { id, person, channels, at, count, texts, gone } of messages) {
      if (gone) remove.run(id);
      else put.run(id, person, JSON.stringify(channels), at, count, texts?.title ?? null, texts?.message ?? null);
    }
  }).immediate;
  return {
    load: () => readEach(all.iterate(), heldMessageOf, { faults, table: "held_messages", keyOf: ({ id }) => id }),
    nextId: () => (last.get()?.seq ?? 0) + 1,
    save: write,
  };
}

function heldMessageOf({ id, person, channels, at, count, title, message }: Row): HeldMessage {
  const read = parseJson(textIn(channels, "channels"));
  const list = read.ok && Array.isArray(read.value) ? read.value : [];
  return {
    ...{ id, person: textIn(person, "person"), at: numberIn(at, 0), count: numberIn(count, 1) },
    channels: list.filter((name): name is string => typeof name === "string"),
    texts: message === null ? undefined : { title: title ?? "", message: textIn(message, "message") },
  };
}
