// Decides when what the broker keeps goes to the disk: with what devices report, and sparingly. A message that changes all the time
// is written every ten minutes, and one that is fetched at once is never written.
import type { StorageTrouble } from "../../../../kit/files/storage-fault.ts";
import { type DiskBudget, startWriteBehind } from "../../../../kit/files/write-behind.ts";
import type { Log } from "../../../../kit/lifecycle/log.ts";
import type { Clock, Timer } from "../../../../kit/time/clock.ts";
import type { QueuedMessage } from "./message-queues.ts";
import type { MessageStore, StoredSession } from "./message-store.ts";
import type { RetainedMessage } from "./retained-messages.ts";

export interface MessageJournal extends Disposable {
  retained(topic: string): void;
  session(id: string): void;
  queued(queued: QueuedMessage): void;
  /** What is on the disk already. */
  loaded(found: { topic: string } | { session: StoredSession } | { queued: QueuedMessage }): void;
}

export interface MessageJournalOptions {
  clock: Clock;
  log: Log;
  store: MessageStore;
  periodMs: number;
  budget: DiskBudget;
  trouble: Pick<StorageTrouble, "note">;
  retainedOn: (topic: string) => RetainedMessage | undefined;
  /** Written as soon as the others would be without a budget. */
  isMemory: (topic: string) => boolean;
  session: (id: string) => StoredSession | undefined;
  isConnected: (session: string) => boolean;
}

// A topic may be written so many times in a row, and then once in each period.
const BURST = 4;
const BUSY_PERIOD_MS = 600_000;

export function startMessageJournal(options: MessageJournalOptions): MessageJournal {
  using starting = new DisposableStack();
  const retained = starting.use(startRetainedJournal(options));
  const sessions = starting.use(startSessionJournal(options));
  const queues = starting.use(startQueueJournal(options));
  const running = starting.move();
  return {
    retained: retained.changed,
    session: sessions.changed,
    queued: queues.changed,
    loaded(found) {
      if ("topic" in found) retained.loaded(found.topic);
      else if ("session" in found) sessions.loaded(found.session);
      else queues.loaded(found.queued);
    },
    [Symbol.dispose]: () => running.dispose(),
  };
}

interface Journal<T, L> extends Disposable {
  changed(item: T): void;
  loaded(item: L): void;
}

function startRetainedJournal(options: MessageJournalOptions): Journal<string, string> {
  const { clock, log, store, periodMs, budget, trouble, retainedOn, isMemory } = options;
  const onDisk = new Set<string>();
  /** How often each was written lately. */
  const written = new Map<string, number>();
  /** They have changed, and wait for the next period. */
  const busy = new Set<string>();

  function write(topics: Iterable<string>): void {
    const all = [...topics];
    store.saveRetained(all.map((topic) => [topic, retainedOn(topic)] as const));
    for (const topic of all) {
      if (retainedOn(topic)) onDisk.add(topic);
      else onDisk.delete(topic);
      written.set(topic, (written.get(topic) ?? 0) + 1);
    }
  }
  const common = { clock, log, periodMs, write, trouble };
  const writeBehind = startWriteBehind<string>({ ...common, what: "what is retained over MQTT", budget });
  const memories = startWriteBehind<string>({ ...common, what: "the memory of plugins" });

  function markBusy(): void {
    for (const topic of busy) writeBehind.mark(topic);
    busy.clear();
  }
  const timer = clock.every("mqtt busy topics", BUSY_PERIOD_MS, () => {
    for (const [topic, times] of written) {
      if (times > 1) written.set(topic, times - 1);
      else written.delete(topic);
    }
    markBusy();
  });
  const enlisted = budget.enlist(() => {
    markBusy();
    writeBehind.flush();
    memories.flush();
  });

  return {
    changed(topic) {
      if (isMemory(topic)) memories.mark(topic);
      else if (!retainedOn(topic) && !onDisk.has(topic)) {
        writeBehind.forget(topic);
        busy.delete(topic);
      } else if ((written.get(topic) ?? 0) >= BURST) busy.add(topic);
      else writeBehind.mark(topic);
    },
    loaded: (topic) => void onDisk.add(topic),
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      enlisted[Symbol.dispose]();
      markBusy();
      writeBehind[Symbol.dispose]();
      memories[Symbol.dispose]();
    },
  };
}

function startSessionJournal(options: MessageJournalOptions): Journal<string, StoredSession> {
  const { clock, log, store, periodMs, budget, trouble, session: sessionOf } = options;
  const onDisk = new Map<string, StoredSession>();
  const writeBehind = startWriteBehind<string>({
    ...{ clock, log, periodMs, budget, trouble, what: "MQTT sessions" },
    write(ids) {
      const all = [...ids].map((id) => [id, sessionOf(id)] as const);
      const changed = all.filter(([id, session]) => !isAsGood(onDisk.get(id), session));
      if (changed.length > 0) store.saveSessions(changed);
      for (const [id, session] of changed) {
        if (session) onDisk.set(id, session);
        else onDisk.delete(id);
      }
    },
  });

  return {
    changed: (id) => writeBehind.mark(id),
    loaded: (session) => void onDisk.set(session.id, session),
    [Symbol.dispose]: () => writeBehind[Symbol.dispose](),
  };
}

/** When its client was there is written as exactly as the end of the session needs it. */
function isAsGood(before: StoredSession | undefined, session: StoredSession | undefined): boolean {
  if (!before || !session) return before === session;
  const { filters, keepSecs, seenAt } = session;
  if (before.keepSecs !== keepSecs || Math.abs(seenAt - before.seenAt) > keepSecs * 100) return false;
  return JSON.stringify(before.filters) === JSON.stringify(filters);
}

function startQueueJournal(options: MessageJournalOptions): Journal<QueuedMessage, QueuedMessage> {
  const { clock, log, store, periodMs, budget, trouble, isConnected } = options;
  const onDisk = new WeakSet<QueuedMessage>();
  /** Those for connected clients: nearly all are acknowledged before they would be written. */
  let recent = new Set<QueuedMessage>();
  let older = new Set<QueuedMessage>();
  const writeBehind = startWriteBehind<QueuedMessage>({
    ...{ clock, log, periodMs, budget, trouble, what: "messages for MQTT clients" },
    write(queue) {
      const all = [...queue];
      store.saveQueue(all);
      for (const queued of all) onDisk.add(queued);
    },
  });
  const timer: Timer = clock.every("mqtt queues", periodMs, age);

  function age(): void {
    for (const queued of older) writeBehind.mark(queued);
    older = recent;
    recent = new Set();
  }

  return {
    changed(queued) {
      if (onDisk.has(queued)) writeBehind.mark(queued);
      else if (queued.gone) {
        recent.delete(queued);
        older.delete(queued);
        writeBehind.forget(queued);
      } else if (!isConnected(queued.session)) writeBehind.mark(queued);
      else if (!older.has(queued)) recent.add(queued);
    },
    loaded: (queued) => void onDisk.add(queued),
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      age();
      age();
      writeBehind[Symbol.dispose]();
    },
  };
}
