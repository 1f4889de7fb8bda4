// What the broker keeps for its clients. aedes keeps retained messages, and queues and filters of absent clients, in memory, without
// a limit and until it ends. Here stores with quotas take their place, and what is in them survives a restart of the hub.
import type { DiskBudget } from "../../../../kit/files/write-behind.ts";
import type { Log } from "../../../../kit/lifecycle/log.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { StateDb } from "../../../../server/db/state-db.ts";
import { isExpired } from "../connection/message-properties.ts";
import { accountNameOf, accountOfSession, HUB_ACCOUNT } from "../session-ids.ts";
import { FilterQuota, type FilterStore } from "./filter-quota.ts";
import { createKeptSessions, type KeptSessions } from "./kept-sessions.ts";
import { type MessageJournal, startMessageJournal } from "./message-journal.ts";
import { MessageQueues, type Numbers, type QueueStore } from "./message-queues.ts";
import { createMessageStore, type MessageStore, type StoredSession } from "./message-store.ts";
import type { QuotaOptions } from "./quota.ts";
import { RetainedMessages, type RetainedStore } from "./retained-messages.ts";

interface Incoming {
  messageId?: number;
}

/** The methods of aedes's in-memory persistence that are replaced. */
export interface UnlimitedStore extends RetainedStore, QueueStore, FilterStore {
  incomingStorePacket(client: { id: string }, packet: Incoming): Promise<void>;
  cleanIncoming(client: { id: string }): Promise<void>;
}

/** The part of aedes that is used here. */
export interface UnlimitedBroker<C> extends Numbers {
  persistence: UnlimitedStore;
  publish(packet: unknown, client: C | ((error?: Error) => void), done?: (error?: Error) => void): void;
}

export interface BrokerMemoryOptions<C> extends QuotaOptions {
  clock: Clock;
  log: Log;
  db: Pick<StateDb, "relaxed" | "faults" | "trouble">;
  budget: DiskBudget;
  flushSecs: number;
  /** The key of a client's account. */
  accountOf: (client: C) => string | undefined;
  /** Whether it is the topic of a plugin's memory, which has a limit of its own. */
  isMemory: (topic: string) => boolean;
}

export interface BrokerMemory extends Disposable {
  readonly filters: FilterQuota;
  readonly retained: RetainedMessages;
  readonly queues: MessageQueues;
  readonly sessions: KeptSessions;
  /** Its subscriptions and its messages go. */
  endSession(id: string): void;
  /** The sessions of an account that is removed. Its retained messages stay: they are about devices, which stay too. */
  endSessionsOf(account: string): void;
  /** Restores what was kept before a restart. */
  load(): Promise<void>;
}

const EXPIRY_CHECK_MS = 60_000;

export function createBrokerMemory<C extends object>(
  broker: UnlimitedBroker<C>,
  options: BrokerMemoryOptions<C>,
): BrokerMemory {
  const { clock, keys, limits, db, isMemory } = options;
  const { persistence } = broker;
  const faults = reportedFaults(options);
  const store = createMessageStore({ db, faults, clock });
  const filters = new FilterQuota({ keys, limits, onChange: (id) => journal.session(id) });
  const retained = new RetainedMessages({
    ...{ keys, limits, clock, publisher: publisherOf(broker, options.accountOf), isExempt: isMemory },
    onChange: (topic) => journal.retained(topic),
  });
  const queues = new MessageQueues({ keys, limits, clock, onChange: (queued) => journal.queued(queued) });

  using starting = new DisposableStack();
  const sessions = starting.use(
    createKeptSessions({ clock, onChange: (id) => journal.session(id), onExpired: (id) => endSession(id) }),
  );
  const journal = starting.use(
    startMessageJournal({
      ...{ ...options, store, isMemory, trouble: db.trouble, periodMs: options.flushSecs * 1000 },
      retainedOn: (topic) => retained.get(topic),
      session: toStore,
      isConnected: (id) => sessions.isConnected(id),
    }),
  );
  starting.use(clock.every("mqtt expiry", EXPIRY_CHECK_MS, () => retained.dropExpired()));

  retained.takeOver(persistence);
  queues.takeOver(persistence, broker);
  filters.limit(persistence);
  storeIncomingIds(persistence);

  function toStore(id: string): StoredSession | undefined {
    const session = sessions.get(id);
    const filtersOfIt = filters.of(id);
    if (!session || !filtersOfIt) return undefined;
    const awayMs = session.leftAt === undefined ? 0 : clock.mono() - session.leftAt;
    return { id, filters: filtersOfIt, keepSecs: session.keepSecs, seenAt: Math.round(clock.now() - awayMs) };
  }

  function endSession(id: string): void {
    queues.end(id);
    sessions.ended(id);
    // They complete at once.
    void persistence.cleanSubscriptions({ id });
    void persistence.cleanIncoming({ id });
  }

  const running = starting.move();
  const parts = { retained, queues, sessions, filters, journal, clock, persistence, endSession };
  return {
    ...{ filters, retained, queues, sessions, endSession },
    endSessionsOf(account) {
      for (const id of sessions.ids()) if (accountOfSession(id) === account) endSession(id);
    },
    load: () => load(store, parts),
    [Symbol.dispose]: () => running.dispose(),
  };
}

/** Listed in the status, and in the log, as the start has logged the others by then. */
function reportedFaults({ db, log }: Pick<BrokerMemoryOptions<object>, "db" | "log">): StateDb["faults"] {
  return {
    list: () => db.faults.list(),
    unreadable(found) {
      db.faults.unreadable(found);
      log.error("something in the state database cannot be read", { ...found });
    },
  };
}

interface Parts extends Pick<BrokerMemory, "retained" | "queues" | "sessions" | "filters" | "endSession"> {
  journal: MessageJournal;
  clock: Clock;
  persistence: UnlimitedStore;
}

async function load(store: MessageStore, parts: Parts): Promise<void> {
  const { retained, queues, sessions, journal, clock } = parts;
  const now = clock.mono();
  for (const message of store.retained()) {
    journal.loaded({ topic: message.topic });
    if (isExpired(message.properties, now) || !retained.load(message)) journal.retained(message.topic);
  }
  for (const session of store.sessions()) {
    journal.loaded({ session });
    await loadSession(session, parts);
  }
  for (const queued of store.queue()) {
    journal.loaded({ queued });
    const isOver = !sessions.get(queued.session) || isExpired(queued.message?.properties, now);
    if (!isOver && queues.load(queued)) continue;
    queued.gone = true;
    journal.queued(queued);
  }
}

async function loadSession(stored: StoredSession, parts: Parts): Promise<void> {
  const { sessions, filters, persistence, clock, endSession } = parts;
  const { id, keepSecs } = stored;
  const awayMs = Math.max(0, clock.now() - stored.seenAt);
  sessions.load({ id, keepSecs, leftAt: clock.mono() - awayMs });
  if (awayMs >= keepSecs * 1000) {
    endSession(id);
    return;
  }
  const account = accountNameOf(accountOfSession(id));
  for (const [topic, qos] of Object.entries(stored.filters))
    filters.claim({ id, clean: false }, account, { topic, qos });
  await persistence.addSubscriptions({ id }, []);
}

/** The account that publishes now: retained messages are stored before `publish` returns. */
function publisherOf<C extends object>(broker: UnlimitedBroker<C>, accountOf: (client: C) => string | undefined) {
  const publish = broker.publish.bind(broker);
  let publisher = HUB_ACCOUNT;
  broker.publish = function publishAs(packet, client, done) {
    const before = publisher;
    publisher = typeof client === "function" || !client ? HUB_ACCOUNT : (accountOf(client) ?? "user/unknown");
    try {
      publish(packet, client, done);
    } finally {
      publisher = before;
    }
  };
  return () => publisher;
}

// A QoS 2 message is delivered when it arrives. It is stored only to recognise a repetition, for which its id is enough; whole
// messages would be 250 of a megabyte for each connection.
function storeIncomingIds(store: UnlimitedStore): void {
  const storePacket = store.incomingStorePacket.bind(store);
  store.incomingStorePacket = (client, { messageId }) =>
    storePacket(client, { cmd: "publish", topic: "", payload: Buffer.alloc(0), qos: 2, messageId } as Incoming);
}
