// What a broker can do, found out by trying: with a connection of its own, on topics below `{p}/_probe` and on command topics of
// an id that nobody has. A broker that lacks what the hub needs is refused with a sentence that says what.
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Connection, MqttVersion, Outgoing } from "./connection.ts";
import { ConnectError, PublishError } from "./failure.ts";
import type { Received } from "./message-intake.ts";

export interface Capabilities {
  version: MqttVersion;
  /** The highest QoS that it grants. */
  qos: number;
  /** As it says itself, or as was tried; undefined where it says no limit. */
  maxPacketBytes: number | undefined;
  /** Whether topics may contain dots and spaces; where not, they end the connection. */
  dotsInTopics: boolean;
  /** What it keeps at `read`. */
  kept: string | undefined;
}

export interface ProbeOptions {
  prefix: string;
  clock: Clock;
  /** Distinguishes the messages of this probe. */
  nonce: string;
  /** A topic whose retained message is wanted as well. */
  read?: string | undefined;
  /** Opens a clean connection for it. */
  open: (onMessage: (message: Received) => void) => Promise<Connection>;
}

/** The id in topics of the probe that are those of devices and plugins. */
const ID = "_probe";
const ANSWER_MS = 2000;
const ANSWER_STEPS = 4;
// The messages of bridges with many devices are that large.
const LARGE_BYTES = 1_048_576;
const SMALL_BYTES = 65_536;

export function probeFilter(prefix: string): string {
  return `${prefix}/${ID}/+`;
}

/** One of those that the probe found out to come back. */
export function probeTopic(prefix: string, name: "kept" | "live"): string {
  return `${prefix}/${ID}/${name}`;
}

/** Whether it is a topic that only probes use. */
export function isProbe(prefix: string, topic: string): boolean {
  return (
    // All messages come by here.
    topic.includes(ID) &&
    (topic.startsWith(`${prefix}/${ID}/`) ||
      topic === `${prefix}/devices/${ID}/cmd` ||
      topic.startsWith(`${prefix}/plugins/${ID}/`))
  );
}

/** Throws ConnectError; `lacking` where the broker, or the hub's account, cannot do what is needed. */
export async function probe(options: ProbeOptions): Promise<Capabilities> {
  const first = await openTry(options);
  try {
    const { version, properties } = first.connection;
    const qos = await tryRetained(first, options);
    const kept = options.read === undefined ? undefined : await readKept(first, options.read);
    await tryRights(first, options);
    const dotsInTopics = await passes(first, `${options.prefix}/${ID}/a.b c`, options.nonce);
    const said = properties.maximumPacketSize;
    const tried = version === 5 ? undefined : await tryLarge(options);
    return { version, qos, maxPacketBytes: said ?? tried, dotsInTopics, kept };
  } finally {
    await first.connection.close();
  }
}

interface Try {
  connection: Connection;
  /** Whether such a message comes within two seconds. */
  comes(matches: (message: Received) => boolean): Promise<boolean>;
}

async function openTry({ clock, open }: ProbeOptions): Promise<Try> {
  const received: Received[] = [];
  const waiting = new Set<(message: Received) => void>();
  const connection = await open((message) => {
    received.push(message);
    for (const take of waiting) take(message);
  });
  return {
    connection,
    async comes(matches) {
      if (received.some(matches)) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const take = (message: Received): void => {
        if (matches(message)) resolve(true);
      };
      waiting.add(take);
      const end = connection.ended.then(() => resolve(false));
      void end;
      // In steps: where the hub itself was held up, by a slow disk for one, what came meanwhile is still to be read.
      let came = false;
      for (let step = 0; step < ANSWER_STEPS && !came; step++)
        came = await within(clock, ANSWER_MS / ANSWER_STEPS, "broker probe", promise);
      came &&= await promise;
      waiting.delete(take);
      return came;
    },
  };
}

async function tryRetained({ connection, comes }: Try, { prefix, nonce }: ProbeOptions): Promise<number> {
  const { properties } = connection;
  const filter = probeFilter(prefix);
  const [keptTopic, liveTopic] = [probeTopic(prefix, "kept"), probeTopic(prefix, "live")];
  if (properties.retainAvailable === false) throw lacking("it keeps no retained messages");
  if (properties.wildcardSubscriptionAvailable === false) throw lacking("it has no subscriptions with wildcards");
  if (properties.maximumQoS === 0) throw lacking("it has no QoS 1, with which commands are sent");
  const kept = { topic: keptTopic, payload: nonce, qos: 1, retain: true } as const;
  await publish(connection, kept);
  const qos = await subscribe(connection, filter, 2);
  await publish(connection, { ...kept, topic: liveTopic, retain: false });
  const is = (topic: string) => (message: Received) => message.topic === topic && message.payload.toString() === nonce;
  // A broker may still hand out what it has just acknowledged; only what it has kept says that it is retained.
  const isKept = (message: Received): boolean => message.retain && is(keptTopic)(message);
  const [keptCame, liveCame] = await Promise.all([comes(isKept), comes(is(liveTopic))]);
  await publish(connection, { ...kept, payload: "" });
  if (keptCame && liveCame) return qos;
  if (liveCame) {
    throw lacking(
      `a subscription with wildcards (${filter}) gets no retained messages from it, from which the hub learns what its devices are; mosquitto, EMQX and others do that`,
    );
  }
  throw lacking(
    `what the hub publishes to ${prefix}/${ID}/… does not come back: allow its account to publish and to subscribe to ${prefix}/#`,
  );
}

/** Takes two seconds where nothing is kept there, since a cluster may be slow to answer. */
async function readKept({ connection, comes }: Try, topic: string): Promise<string | undefined> {
  let kept: string | undefined;
  await subscribe(connection, topic, 1);
  await comes((message) => {
    if (message.topic !== topic) return false;
    kept = message.payload.toString();
    return true;
  });
  return kept;
}

/** Whether what the hub has to send reaches those who listen. */
async function tryRights({ connection, comes }: Try, { prefix, nonce }: ProbeOptions): Promise<void> {
  for (const topic of [`${prefix}/devices/${ID}/cmd`, `${prefix}/plugins/${ID}/manage/cmd`]) {
    await subscribe(connection, topic, 1);
    await publish(connection, { topic, payload: nonce, qos: 1, retain: false });
    if (!(await comes((message) => message.topic === topic && message.payload.toString() === nonce)))
      throw lacking(`the hub's account may not publish to topics such as ${topic}: allow it at the broker`);
  }
}

async function passes({ connection, comes }: Try, topic: string, payload: string): Promise<boolean> {
  try {
    await connection.publish({ topic, payload, qos: 1, retain: false });
    return await comes((message) => message.topic === topic);
  } catch (error) {
    if (error instanceof PublishError) return false;
    throw error;
  }
}

/** Brokers of 3.1.1 say no limit; they close the connection at larger ones. */
async function tryLarge(options: ProbeOptions): Promise<number | undefined> {
  for (const bytes of [LARGE_BYTES, SMALL_BYTES]) {
    const { connection } = await openTry(options);
    const message = {
      topic: `${options.prefix}/${ID}/large`,
      payload: Buffer.alloc(bytes),
      qos: 1,
      retain: false,
    } as const;
    const done = connection.publish(message).then(
      () => true,
      () => false,
    );
    const isTaken = (await within(options.clock, ANSWER_MS, "broker probe", done)) && (await done);
    await connection.close();
    if (isTaken) return bytes === LARGE_BYTES ? undefined : bytes;
  }
  throw lacking(`it does not take messages of ${SMALL_BYTES} bytes: allow larger ones at the broker`);
}

async function publish(connection: Connection, message: Outgoing): Promise<void> {
  try {
    await connection.publish(message);
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    const { outcome } = error;
    throw outcome === "refused"
      ? lacking(`the hub cannot publish to ${message.topic}: ${error.message}`)
      : new ConnectError("network", error.message);
  }
}

async function subscribe(connection: Connection, filter: string, qos: 1 | 2): Promise<number> {
  try {
    return await connection.subscribe(filter, qos, { own: true });
  } catch (error) {
    throw error instanceof PublishError ? new ConnectError("network", error.message) : error;
  }
}

function lacking(what: string): ConnectError {
  return new ConnectError("lacking", what);
}
