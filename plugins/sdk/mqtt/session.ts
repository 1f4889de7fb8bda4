// A lasting session: reconnects for ever with growing pauses, subscribes again, and keeps the messages that must not be lost. Device
// states need not be kept: all of them are sent again on every connection (devices.ts).
import { type Connection, type Message, type OpenOptions, openConnection, RefusedError } from "./connection.ts";

export interface SessionOptions extends Omit<OpenOptions, "onMessage"> {
  /** Pause before the first reconnect; doubles up to 30 s. */
  firstPauseMs?: number;
}

export interface SessionEvents {
  /** Called on every connection; what it publishes is sent before the kept messages. */
  onConnected(): void;
  onDisconnected(reason: string): void;
  /** The broker refuses the credentials; the session gives up. */
  onRefused(reason: string): void;
  onProblem(message: string): void;
}

export interface Publish {
  qos?: 0 | 1;
  retain?: boolean;
  /** If there is no connection, it is sent later. */
  keep?: boolean;
}

export interface Session {
  readonly connected: boolean;
  publish(topic: string, payload: string, options?: Publish): void;
  subscribe(topic: string, onMessage: (payload: string) => void): void;
  /** Messages are ignored from now on; the broker stops sending them after the next connection. */
  unsubscribe(topic: string): void;
  /** Waits up to `ms` for acknowledgements, then disconnects for good. */
  close(ms: number): Promise<void>;
}

interface Kept extends Message {
  tries: number;
}

const MAX_PAUSE_MS = 30_000;
const STEADY_AFTER_MS = 30_000;
const MAX_KEPT = 500;
// A message on which the broker closes the connection would otherwise end every later connection too.
const MAX_TRIES = 3;
const WRONG_CREDENTIALS = [4, 5];

export function startSession(options: SessionOptions, events: SessionEvents): Session {
  const { firstPauseMs = 250 } = options;
  const listeners = new Map<string, (payload: string) => void>();
  const kept = new Set<Kept>();
  const inFlight = new Set<Promise<unknown>>();
  const stopped = Promise.withResolvers<void>();
  let over = false;
  let connection: Connection | undefined;
  let pauseMs = firstPauseMs;
  // Also true while there is no connection, so that a kept message waits for the next one.
  let draining = true;

  function track(work: Promise<unknown>): void {
    const tracked = work.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  }

  async function deliver(message: Kept, through: Connection): Promise<boolean> {
    message.tries++;
    const done = await through.publish(message);
    if (done) kept.delete(message);
    else if (message.tries >= MAX_TRIES && kept.delete(message))
      events.onProblem(`gave up sending to ${message.topic}: the broker closes the connection`);
    return done;
  }

  // One after the other, so that a message on which the broker closes the connection does not use up the tries of those behind it.
  // Messages that are kept meanwhile are sent by this loop as well.
  async function deliverKept(through: Connection): Promise<void> {
    draining = true;
    for (const message of kept) if (!(await deliver(message, through))) return;
    draining = false;
  }

  async function listen(topic: string, through: Connection): Promise<void> {
    const granted = await through.subscribe(topic);
    if (!granted && through.open) events.onProblem(`the broker refuses the subscription to ${topic}`);
  }

  async function stayConnected(opened: Connection): Promise<void> {
    const since = performance.now();
    connection = opened;
    for (const topic of listeners.keys()) track(listen(topic, opened));
    events.onConnected();
    track(deliverKept(opened));
    const reason = await opened.ended;
    connection = undefined;
    draining = true;
    if (performance.now() - since > STEADY_AFTER_MS) pauseMs = firstPauseMs;
    if (!over) events.onDisconnected(reason);
  }

  async function connectForEver(): Promise<void> {
    while (!over) {
      try {
        const opened = await openConnection({ ...options, onMessage: (topic, text) => listeners.get(topic)?.(text) });
        if (over) return opened.close();
        await stayConnected(opened);
      } catch (error) {
        if (over) return;
        const reason = error instanceof Error ? error.message : "unknown reason";
        if (error instanceof RefusedError && WRONG_CREDENTIALS.includes(error.code)) return events.onRefused(reason);
        events.onProblem(`no connection to the broker at ${options.host}:${options.port}: ${reason}`);
      }
      // Between 75 and 125 %, so that many plugins do not reconnect at the same moment.
      await Promise.race([Bun.sleep(pauseMs * (0.75 + Math.random() / 2)), stopped.promise]);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }

  connectForEver().catch((error: unknown) => events.onProblem(`the session failed: ${String(error)}`));

  return {
    get connected() {
      return connection?.open ?? false;
    },
    publish(topic, payload, { qos = 1, retain = false, keep = false } = {}) {
      const message: Kept = { topic, payload, qos, retain, tries: 0 };
      if (keep) {
        kept.add(message);
        const [oldest] = kept;
        if (kept.size > MAX_KEPT && oldest) kept.delete(oldest);
      }
      if (connection?.open && !(keep && draining)) track(deliver(message, connection));
    },
    subscribe(topic, onMessage) {
      const known = listeners.has(topic);
      listeners.set(topic, onMessage);
      if (!known && connection) track(listen(topic, connection));
    },
    unsubscribe: (topic) => void listeners.delete(topic),
    async close(ms) {
      over = true;
      stopped.resolve();
      if (!connection) return;
      await Promise.race([Promise.allSettled([...inFlight]), Bun.sleep(ms)]);
      connection?.close();
      await connection?.ended;
    },
  };
}
