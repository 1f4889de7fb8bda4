// The embedded broker: aedes on a listening socket, with limits on connections, time and memory.
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Aedes, type Client } from "aedes";
import { writeToStream } from "mqtt-packet";
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { type Account, accountKey } from "../accounts/accounts.ts";
import type { MqttSection } from "../config.ts";
import { isPluginMemory, parseTopic } from "../topics.ts";
import { type BufferQuota, createBufferQuota } from "./buffer-quota.ts";
import { addressOf, ClientConnection } from "./connection/client-connection.ts";
import type { PacketError } from "./connection/packet-queue.ts";
import { MAX_TOPIC_LEVELS } from "./connection/publish-packet.ts";
import { createFairScheduler } from "./fair-scheduler.ts";
import { Gatekeeper, type GatekeeperOptions } from "./gatekeeper.ts";
import {
  type BrokerMemory,
  type BrokerMemoryOptions,
  createBrokerMemory,
  type UnlimitedBroker,
} from "./memory/broker-memory.ts";
import type { RetainedMessage } from "./memory/retained-messages.ts";
import { packetLimitOf } from "./packet-limit.ts";
import { createPendingConnections } from "./pending-connections.ts";
import { type PublishingBroker, publishInOrder } from "./publish-order.ts";
import { createReceiveTurns } from "./receive-turns.ts";

export interface Broker extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Publishes as the hub; resolves when the message is passed to its subscribers. */
  publish(topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  /** Whether a connected client gets what is published there; `counts`: which of their subscriptions count. */
  hasSubscriber(topic: string, counts: (account: Account, filter: string) => boolean): boolean;
  hasClient(matches: (account: Account) => boolean): boolean;
  disconnect(matches: (account: Account) => boolean): void;
  connections(): number;
  readonly counts: Readonly<MessageCounts>;
  /** Retained messages whose topics match, with the keys of the accounts that published them. Also those from before a restart. */
  retained(filter: string): Iterable<RetainedMessage>;
  /** Disconnects an account that is removed, by its key, and ends its kept sessions. */
  endSessionsOf(account: string): void;
}

/** Since the start. */
export interface MessageCounts {
  /** Publishes of clients, without those that were denied. */
  received: number;
  /** Messages passed to clients. */
  sent: number;
  /** Publishes and subscriptions without the right to them. */
  denied: number;
}

export interface BrokerOptions
  extends Pick<
      GatekeeperOptions,
      "accounts" | "rights" | "onMessage" | "onSubscribed" | "log" | "limited" | "rateLimits"
    >,
    Pick<BrokerMemoryOptions<Client>, "db" | "budget" | "flushSecs"> {
  config: MqttSection;
  clock: Clock;
  random: RandomBytes;
  limits: Limits;
  /** Once it is closed, no client gets anything. */
  fence?: Fence | undefined;
  /** Time in which a new connection has to send its CONNECT. */
  connectTimeoutMs?: number;
}

const AEDES = {
  // Unlimited: one frozen reader must not delay messages to the others.
  concurrency: 0,
  // Readers that are stalled are disconnected by the writer of the socket, which sees whether a large message moves.
  drainTimeout: 86_400_000,
  // QoS 2 messages of one client that wait for their PUBREL.
  maxInflightInbound: 250,
  maxTopicLevels: MAX_TOPIC_LEVELS,
  // aedes publishes the wills of "lost" brokers by the wall clock. When a Pi's clock jumps by years after boot, it would publish
  // the wills of all connected clients. This is the longest period whose fourfold fits a timer, which prevents that.
  heartbeatInterval: 500_000_000,
  // The gatekeeper limits them; here they begin with the account.
  maxClientsIdLength: 1024,
};
const STOP_MS = 2000;

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { config, clock, random, log, limited, limits, connectTimeoutMs = 10_000 } = options;
  const connections = new Map<Duplex, ClientConnection>();
  const counts: MessageCounts = { received: 0, sent: 0, denied: 0 };
  const maxPacketBytes = packetLimitOf({ kind: "listed" }, config).bytes;
  const scheduler = createFairScheduler(clock, () => memory.filters.size);
  const receiveTurns = createReceiveTurns(clock);
  const pending = createPendingConnections({ config, clock, limits });
  const gatekeeper = new Gatekeeper({
    ...options,
    connectionOf: (stream) => connections.get(stream),
    memory: () => memory,
    onMessage(message) {
      counts.received++;
      options.onMessage(message);
    },
    onSending(bytes) {
      counts.sent++;
      bufferQuota.moved(bytes);
    },
    onDenied() {
      counts.denied++;
    },
    onAdmitted: (connection) => pending.remove(connection),
    pass: (packet, from, passed) => unlimited.publish(packet, from, passed),
  });
  await using starting = new AsyncDisposableStack();
  // Without this it makes a buffer for each of the 65,536 numbers in packets at the first message: 5 MB.
  writeToStream.cacheNumbers = false;
  const aedes = await Aedes.createBroker({ ...AEDES, ...gatekeeper.hooks, connectTimeout: connectTimeoutMs });
  const unlimited = aedes as unknown as UnlimitedBroker<Client>;
  starting.defer(() => new Promise<void>((resolve) => aedes.close(() => resolve())));
  const memory: BrokerMemory = starting.use(
    createBrokerMemory(unlimited, {
      ...options,
      keys: config,
      accountOf: (client) => gatekeeper.accountOf(client),
      isMemory: (topic) => isPluginMemory(parseTopic(config.prefix, topic)),
    }),
  );
  publishInOrder(aedes as unknown as PublishingBroker<Client>);
  await memory.load();
  const bufferQuota: BufferQuota = createBufferQuota({
    keys: config,
    limits,
    maxPacketBytes,
    connections: connectionsWithAccounts,
  });

  function* connectionsWithAccounts() {
    const sessions = [...gatekeeper.sessions.values()];
    const accounts = new Map(sessions.map(({ connection, account }) => [connection, account.name]));
    for (const connection of connections.values())
      yield { connection, account: accounts.get(connection) ?? connection.address };
  }

  aedes.on("connackSent", ({ returnCode }, client) => {
    if (returnCode === 0) connections.get(client.conn as Duplex)?.open();
  });
  aedes.on("subscribe", (subscriptions, client) =>
    gatekeeper.subscribed(
      client,
      subscriptions.map(({ topic }) => topic),
    ),
  );
  aedes.on("clientReady", (client) => gatekeeper.subscribed(client));
  aedes.on("unsubscribe", (filters, client) => gatekeeper.unsubscribed(client, filters));
  aedes.on("clientError", logEnd);
  aedes.on("connectionError", logEnd);
  (aedes as NodeJS.EventEmitter).on("error", (error) =>
    log.error("the MQTT broker failed", { error: messageOf(error) }),
  );

  // aedes reports the error once for every write that was queued.
  const logged = new WeakSet<Client>();
  function logEnd(client: Client, error: Error & { errorCode?: number }): void {
    // The gatekeeper logs refused logins; a client that disconnects is not worth a line.
    if (error.errorCode !== undefined || ["ECONNRESET", "EPIPE"].includes(systemCode(error) ?? "")) return;
    if (logged.has(client)) return;
    logged.add(client);
    const address = connections.get(client.conn as Duplex)?.address;
    const fields = { client: gatekeeper.clientIdOf(client), address, reason: messageOf(error) };
    limited.warn(`ended ${address}`, "an MQTT connection was ended", fields);
  }

  function logRefused(connection: ClientConnection, { reason, bytes }: Omit<PacketError, "code">): void {
    const { address } = connection;
    const account = gatekeeper.accountAt(connection);
    const fields = { address, ...(account && { account: account.name }), reason };
    limited.warn(`refused ${address}`, "an MQTT connection was closed because of what it sent", fields);
    if (!account || bytes === undefined) return;
    const limit = `[mqtt] ${packetLimitOf(account, config).key}`;
    const message = `a message of ${bytes} bytes ended the connection, and will end it again: raise ${limit} to let it in`;
    limits.reached({ limit, account: account.name, message });
  }

  function accept(socket: Socket): void {
    if (!pending.makeRoom(addressOf(socket))) {
      socket.destroy();
      return;
    }
    const connection = new ClientConnection(socket, {
      clock,
      random,
      scheduler,
      receiveTurns,
      fence: options.fence,
      onReceived: (bytes) => bufferQuota.moved(bytes),
      onRefused: logRefused,
    });
    const { stream } = connection;
    connections.set(stream, connection);
    stream.once("close", () => {
      pending.remove(connection);
      setImmediate(() => connections.delete(stream));
    });
    aedes.handle(stream);
    pending.add(connection);
  }

  const server = createServer(accept);
  const port = await listen(server, config);
  server.on("error", (error) => log.error("the MQTT listener failed", { error: messageOf(error) }));

  function disconnect(matches: (account: Account) => boolean): void {
    for (const { account, client } of [...gatekeeper.sessions.values()]) if (matches(account)) client.close();
  }

  const running = starting.move();
  return {
    host: config.host,
    port,
    connections: () => gatekeeper.sessions.size,
    counts,
    retained: (filter) => memory.retained.matching(filter),
    endSessionsOf(account) {
      disconnect((one) => accountKey(one) === account);
      memory.endSessionsOf(account);
    },
    publish: (topic, payload, { qos, retain }) =>
      new Promise((resolve, reject) => {
        const packet = { cmd: "publish", topic, payload: Buffer.from(payload), qos, retain, dup: false } as const;
        aedes.publish(packet, (error) => {
          if (error) reject(new HubError("unavailable", `MQTT publish failed: ${error.message}`, { cause: error }));
          else resolve();
        });
      }),
    hasSubscriber: (topic, counts) => gatekeeper.hasSubscriber(topic, counts),
    hasClient: (matches) => gatekeeper.sessions.values().some(({ account }) => matches(account)),
    disconnect,
    async [Symbol.asyncDispose]() {
      gatekeeper.ignoreMessages();
      const unbound = new Promise<void>((resolve) => server.close(() => resolve()));
      await within(clock, STOP_MS, "mqtt stop", new Promise<void>((resolve) => aedes.close(() => resolve())));
      for (const connection of [...connections.values()]) connection.cut();
      await within(clock, STOP_MS, "mqtt listener stop", unbound);
      await running.disposeAsync();
    },
  };
}

/** The port that was bound. Throws HubError where the address cannot be used. */
function listen(server: Server, { host, port }: MqttSection): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners("error");
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

function listenError(error: Error, host: string, port: number): HubError {
  const at = `${host}:${port}`;
  const because = { cause: error };
  switch (systemCode(error)) {
    case "EADDRINUSE":
      return new HubError(
        "in_use",
        `MQTT port ${port} on ${host} is in use already, by another broker such as mosquitto or a second hub: stop that one, or set another [mqtt] port`,
        because,
      );
    case "EACCES":
      return new HubError("config", `MQTT may not listen on ${at}: ports below 1024 need root; set another`, because);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new HubError(
        "config",
        `MQTT cannot listen on ${at}: [mqtt] host is not an address of this machine`,
        because,
      );
    default:
      return new HubError("unavailable", `MQTT cannot listen on ${at}: ${error.message}`, because);
  }
}
