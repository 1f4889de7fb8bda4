// Retained messages, kept sessions and their queues in the state database. What is written when is decided in message-journal.ts.
import type { QoS } from "mqtt-packet";
import { isObject, parseJson } from "../../../../kit/schema/json.ts";
import { isTopicFilter, isTopicName } from "../../../../kit/text/topic-filter.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { type RowFaults, readEach, textIn } from "../../../../server/db/rows.ts";
import type { StateDb } from "../../../../server/db/state-db.ts";
import type { MessageProperties } from "../connection/message-properties.ts";
import type { QueuedMessage } from "./message-queues.ts";
import type { KeptMessage } from "./quota.ts";
import type { RetainedMessage } from "./retained-messages.ts";

export interface StoredSession {
  id: string;
  filters: Readonly<Record<string, QoS>>;
  keepSecs: number;
  /** In epoch ms. */
  seenAt: number;
}

export interface MessageStore {
  /** Rows that cannot be read are left out and reported. Messages may have expired. */
  retained(): RetainedMessage[];
  sessions(): StoredSession[];
  queue(): QueuedMessage[];
  /** In one transaction; a message that is undefined is removed. */
  saveRetained(messages: Iterable<readonly [topic: string, message: RetainedMessage | undefined]>): void;
  saveSessions(sessions: Iterable<readonly [id: string, session: StoredSession | undefined]>): void;
  saveQueue(queued: Iterable<QueuedMessage>): void;
}

export interface MessageStoreOptions {
  db: Pick<StateDb, "relaxed">;
  faults: RowFaults;
  clock: Pick<Clock, "now" | "mono">;
}

interface MessageRow {
  topic: string;
  qos: number;
  payload: Uint8Array;
  properties: Uint8Array;
  lifetime_secs: number | null;
  expires_at: number | null;
}
type RetainedRow = MessageRow & { account: string };
type QueueRow = MessageRow & { id: number; session_id: string; message_id: number | null; released: number };
interface SessionRow {
  id: string;
  filters: string;
  keep_secs: number;
  seen_at: number;
}

export function createMessageStore({ db: { relaxed: db }, faults, clock }: MessageStoreOptions): MessageStore {
  const all = {
    retained: db.query<RetainedRow, []>("SELECT * FROM mqtt_retained"),
    sessions: db.query<SessionRow, []>("SELECT * FROM mqtt_sessions"),
    queue: db.query<QueueRow, []>("SELECT * FROM mqtt_queue ORDER BY id"),
  };
  const put = {
    retained: db.query(
      "INSERT OR REPLACE INTO mqtt_retained (topic, account, qos, payload, properties, lifetime_secs, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ),
    session: db.query("INSERT OR REPLACE INTO mqtt_sessions (id, filters, keep_secs, seen_at) VALUES (?, ?, ?, ?)"),
    queued: db.query(
      `INSERT OR REPLACE INTO mqtt_queue (id, session_id, message_id, released, topic, qos, payload, properties,
         lifetime_secs, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
  const remove = {
    retained: db.query("DELETE FROM mqtt_retained WHERE topic = ?"),
    session: db.query("DELETE FROM mqtt_sessions WHERE id = ?"),
    queued: db.query("DELETE FROM mqtt_queue WHERE id = ?"),
  };

  function messageIn(row: MessageRow): KeptMessage {
    const { qos } = row;
    const topic = textIn(row.topic, "topic");
    if (!isTopicName(topic)) throw new TypeError("topic is no topic");
    if (qos !== 0 && qos !== 1 && qos !== 2) throw new TypeError("qos is none");
    return { topic, qos, payload: bytesIn(row.payload, "payload"), properties: propertiesIn(row) };
  }

  /** The wall clock may have been set meanwhile: no message gets more time than it was given. */
  function propertiesIn(row: MessageRow): MessageProperties | undefined {
    const bytes = bytesIn(row.properties, "properties");
    const { lifetime_secs: lifetimeSecs, expires_at: expiresAt } = row;
    if (lifetimeSecs === null || expiresAt === null) return bytes.length > 0 ? { bytes } : undefined;
    const leftMs = Math.min(
      numberOf(expiresAt, "expires_at") - clock.now(),
      numberOf(lifetimeSecs, "lifetime_secs") * 1000,
    );
    return { bytes, lifetimeSecs, expiresAt: clock.mono() + leftMs };
  }

  function columnsOf({ topic, qos, payload, properties }: KeptMessage) {
    const { bytes = NONE, lifetimeSecs = null, expiresAt } = properties ?? {};
    const expires = expiresAt === undefined ? null : Math.round(clock.now() + expiresAt - clock.mono());
    return [topic, qos, payload, bytes, lifetimeSecs, expires] as const;
  }

  function queuedIn(row: QueueRow): QueuedMessage {
    const message = row.released === 1 ? undefined : messageIn(row);
    const messageId = row.message_id ?? undefined;
    if (!message && messageId === undefined) throw new TypeError("it was never sent");
    const session = textIn(row.session_id, "session_id");
    return { id: numberOf(row.id, "id"), session, message, messageId, gone: false };
  }

  return {
    retained: () =>
      readEach(
        all.retained.iterate(),
        (row): RetainedMessage => ({ ...messageIn(row), account: textIn(row.account, "account") }),
        { faults, table: "mqtt_retained", keyOf: ({ topic }) => topic },
      ),
    sessions: () =>
      readEach(all.sessions.iterate(), sessionIn, { faults, table: "mqtt_sessions", keyOf: ({ id }) => id }),
    queue: () => readEach(all.queue.iterate(), queuedIn, { faults, table: "mqtt_queue", keyOf: ({ id }) => id }),
    saveRetained: db.transaction((messages: Parameters<MessageStore["saveRetained"]>[0]) => {
      for (const [topic, message] of messages) {
        if (!message) remove.retained.run(topic);
        else put.retained.run(topic, message.account, ...columnsOf(message).slice(1));
      }
    }).immediate,
    saveSessions: db.transaction((sessions: Parameters<MessageStore["saveSessions"]>[0]) => {
      for (const [id, session] of sessions) {
        if (!session) remove.session.run(id);
        else put.session.run(id, JSON.stringify(session.filters), session.keepSecs, session.seenAt);
      }
    }).immediate,
    saveQueue: db.transaction((queue: Iterable<QueuedMessage>) => {
      for (const { id, session, message, messageId = null, gone } of queue) {
        if (gone) remove.queued.run(id);
        else put.queued.run(id, session, messageId, message ? 0 : 1, ...columnsOf(message ?? RELEASED));
      }
    }).immediate,
  };
}

const NONE = Buffer.alloc(0);
const RELEASED: KeptMessage = { topic: "", payload: NONE, qos: 0, properties: undefined };

function sessionIn(row: SessionRow): StoredSession {
  const parsed = parseJson(textIn(row.filters, "filters"));
  if (!parsed.ok || !isObject(parsed.value)) throw new TypeError("filters is not a JSON object");
  const filters = new Map<string, QoS>();
  for (const [filter, qos] of Object.entries(parsed.value)) {
    if (!isTopicFilter(filter) || (qos !== 0 && qos !== 1 && qos !== 2))
      throw new TypeError("filters has one that is none");
    filters.set(filter, qos);
  }
  return {
    id: textIn(row.id, "id"),
    filters: Object.fromEntries(filters),
    keepSecs: numberOf(row.keep_secs, "keep_secs"),
    seenAt: numberOf(row.seen_at, "seen_at"),
  };
}

function bytesIn(value: unknown, column: string): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`${column} is no blob`);
}

function numberOf(value: unknown, column: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError(`${column} is no number`);
}
