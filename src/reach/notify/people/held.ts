// Holds messages back while a person is not to be disturbed, and then sends them as one. They are on disk from the moment they are
// held until the digest is in the outbox; a digest that was stored just before the hub died is not made again.
import { type DiskBudget, startWriteBehind } from "../../../kit/files/write-behind.ts";
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { OwnRows } from "../../../server/db/own-rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Person } from "./config.ts";
import { type Digest, digestOf } from "./digest.ts";
import { createHeldStore, type HeldMessage } from "./held-store.ts";
import type { People } from "./people.ts";

export interface HeldMessages extends Disposable {
  /** It is on disk after the next `write`, or soon. */
  hold(person: Person, texts: { title: string; message: string }): void;
  /** Writes what is held and not on disk yet, or as soon as the disk accepts it. */
  write: OwnRows;
  /** How many are held for a person. */
  count(person: string): number;
  /** Sends what was held for people whose time has come. */
  look(): void;
}

export interface HeldOptions {
  db: Pick<StateDb, "own" | "faults" | "trouble">;
  clock: Clock;
  log: Log;
  budget?: DiskBudget;
  people: Pick<People, "find" | "isReachable">;
  houseTime: (at: number) => string;
  /** Hands a digest over to the outbox, which has stored it when this returns, and written `along` in the same commit. */
  send: (digest: Digest & { id: string; channels: readonly string[] }, along: OwnRows) => void;
  /** Whether the outbox has this digest. */
  isSent: (id: string) => boolean;
}

const MAX_HELD = 200;
/** How late a digest may be: modes change at any time, and so may the clock. */
const LOOK_MS = 15_000;
const COUNTS_MS = 10_000;
const MAX_TEXT = 2000;

/** Continues with what earlier runs held. */
export function openHeldMessages({
  db,
  clock,
  log,
  people,
  houseTime,
  send,
  isSent,
  ...more
}: HeldOptions): HeldMessages {
  const store = createHeldStore(db);
  const byPerson = Map.groupBy(store.load(), ({ person }) => person);
  let nextId = store.nextId();
  let timer: Timer | undefined;
  const writeBehind = startWriteBehind<HeldMessage>({
    ...{ clock, log, periodMs: COUNTS_MS, write: store.save, what: "what is held back for people" },
    ...(more.budget && { budget: more.budget }),
    trouble: db.trouble,
  });

  function alike(held: readonly HeldMessage[], texts: HeldMessage["texts"]): HeldMessage | undefined {
    return held.find((one) => one.texts?.title === texts?.title && one.texts?.message === texts?.message);
  }

  /** The digest is stored under an id that names the last message in it. */
  const digestId = (held: readonly HeldMessage[]): string => `held-${held.at(-1)?.id}`;

  const write = (): void => void writeBehind.flush();

  function remove(person: string, held: readonly HeldMessage[]): void {
    byPerson.delete(person);
    for (const message of held) {
      message.gone = true;
      writeBehind.mark(message);
    }
  }

  function release(person: string, held: readonly HeldMessage[]): void {
    const channels = people.find(person)?.channels ?? held.at(-1)?.channels ?? [];
    const id = digestId(held);
    const digest = digestOf(held, clock.now(), houseTime);
    remove(person, held);
    send({ ...digest, id, channels }, write);
  }

  function look(): void {
    for (const [name, held] of byPerson) {
      const person = people.find(name);
      // Whoever is gone from the configuration gets it where it would have gone.
      if (!person || people.isReachable(person)) release(name, held);
    }
    watch();
  }

  function watch(): void {
    timer?.[Symbol.dispose]();
    timer = byPerson.size > 0 ? clock.after("held messages", LOOK_MS, guarded(log, "held messages", look)) : undefined;
  }

  for (const [person, held] of byPerson) if (isSent(digestId(held))) remove(person, held);
  write();
  watch();
  return {
    hold({ name, channels }, { title, message }) {
      const held = byPerson.get(name) ?? [];
      const texts = { title: title.slice(0, MAX_TEXT), message: message.slice(0, MAX_TEXT) };
      const isFull = held.length >= MAX_HELD;
      const known = alike(held, texts) ?? (isFull ? alike(held, undefined) : undefined);
      if (known) {
        known.count++;
        // It is on disk already; the count is written in batches.
        writeBehind.mark(known);
        return;
      }
      const kept = { person: name, channels, at: clock.now(), count: 1, texts: isFull ? undefined : texts };
      const one: HeldMessage = { id: nextId++, ...kept };
      byPerson.set(name, [...held, one]);
      writeBehind.mark(one);
      if (!timer) watch();
    },
    count: (person) => (byPerson.get(person) ?? []).reduce((sum, { count }) => sum + count, 0),
    write,
    look,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      writeBehind[Symbol.dispose]();
    },
  };
}
