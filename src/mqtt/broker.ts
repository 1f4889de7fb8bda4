// The embedded broker: aedes on a listening socket, with bounds on connections, time and memory.
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Aedes, type Client } from "aedes";
import { writeToStream } from "mqtt-packet";
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import { within } from "../core/lifecycle.ts";
import type { Limits } from "../core/limits.ts";
import type { Account } from "./accounts.ts";
import type { MqttSection } from "./config.ts";
import { type ConnectionRoom, createConnectionRoom } from "./connection-room.ts";
import { createGatekeeper, type GatekeeperOptions } from "./gatekeeper.ts";
import { createLink, type Link } from "./link.ts";
import { boundMemory, type GrowingBroker } from "./memory-bounds.ts";
import { createTurns } from "./turns.ts";
import { createWaitingRoom } from "./waiting-room.ts";

export interface Broker extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** In the hub's own name; resolves when the message is on its way to whoever is subscribed. */
  publish(topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  disconnect(matches: (account: Account) => boolean): void;
  connections(): number;
}

export interface BrokerOptions
  extends Pick<GatekeeperOptions, "accounts" | "rights" | "hear" | "log" | "limited" | "paces"> {
  config: MqttSection;
  clock: Clock;
  random: RandomBytes;
  limits: Limits;
  /** Time a new connection has to send its CONNECT. */
  connectTimeoutMs?: number;
}

const AEDES = {
  // Unlimited at once: one frozen reader must not hold up messages to the others.
  concurrency: 0,
  // A reader that takes nothing for so long, its buffer full, is disconnected.
  drainTimeout: 5000,
  // QoS 2 messages of one client that wait for their release.
  maxInflightInbound: 250,
  maxTopicLevels: 20,
  // aedes publishes the wills of "lost" brokers by the wall clock, and a Pi's clock jumps by years after boot: every
  // will of a live client would go out. The longest period whose fourfold still fits a timer keeps that from happening.
  heartbeatInterval: 500_000_000,
  // The gatekeeper bounds them; for the broker they begin with the account.
  maxClientsIdLength: 1024,
};
const STOP_MS = 2000;
// Above the payload: topic, message id, length.
const PACKET_OVERHEAD_BYTES = 1024;

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { config, clock, random, log, limited, limits, connectTimeoutMs = 10_000 } = options;
  const links = new Map<Duplex, Link>();
  const maxPacketBytes = config.max_payload_bytes + PACKET_OVERHEAD_BYTES;
  const turns = createTurns(clock, () => filterRoom.size);
  const strangers = createWaitingRoom({ config, limits });
  const gatekeeper = createGatekeeper({
    ...options,
    linkOf: (stream) => links.get(stream),
    filterRoom: () => filterRoom,
    sending: (bytes) => room.moved(bytes),
    admitted: (link) => strangers.left(link),
  });
  // It would keep a buffer of its own for each of the 65,536 numbers a packet can hold: 5 MB, made at the first message.
  writeToStream.cacheNumbers = false;
  const aedes = await Aedes.createBroker({ ...AEDES, ...gatekeeper.hooks, connectTimeout: connectTimeoutMs });
  const { accountOf } = gatekeeper;
  const filterRoom = boundMemory(aedes as unknown as GrowingBroker<Client>, { bounds: config, limits, accountOf });
  const room: ConnectionRoom = createConnectionRoom({ bounds: config, limits, maxPacketBytes, connections });

  function* connections() {
    const accounts = new Map([...gatekeeper.sessions.values()].map(({ link, account }) => [link, account.name]));
    for (const link of links.values()) yield { link, account: accounts.get(link) ?? link.address };
  }

  aedes.on("unsubscribe", (filters, client) => gatekeeper.unsubscribed(client, filters));
  aedes.on("clientError", ended);
  aedes.on("connectionError", ended);
  (aedes as NodeJS.EventEmitter).on("error", (error) =>
    log.error("the MQTT broker failed", { error: messageOf(error) }),
  );

  // aedes reports an end once for every write that still waited.
  const told = new WeakSet<Client>();
  function ended(client: Client, error: Error & { errorCode?: number }): void {
    // Refused logins have been told by the gatekeeper; a peer that goes away is no news.
    if (error.errorCode !== undefined || ["ECONNRESET", "EPIPE"].includes(systemCode(error) ?? "")) return;
    if (told.has(client)) return;
    told.add(client);
    const address = links.get(client.conn as Duplex)?.address;
    const fields = { client: gatekeeper.clientIdOf(client), address, reason: messageOf(error) };
    limited.warn(`ended ${address}`, "an MQTT connection was ended", fields);
  }

  function accept(socket: Socket): void {
    const link = createLink(socket, {
      clock,
      random,
      turns,
      maxPacketBytes,
      received: (bytes) => room.moved(bytes),
      refused: (address, reason) =>
        limited.warn(`refused ${address}`, "an MQTT connection was closed for what it sent", { address, reason }),
    });
    links.set(link.stream, link);
    link.stream.once("close", () => {
      strangers.left(link);
      setImmediate(() => links.delete(link.stream));
    });
    aedes.handle(link.stream);
    strangers.arrived(link);
  }

  const server = createServer(accept);
  const port = await listen(server, config).catch((error: unknown) => {
    aedes.close();
    throw error;
  });
  server.on("error", (error) => log.error("the MQTT listener failed", { error: messageOf(error) }));

  return {
    host: config.host,
    port,
    connections: () => gatekeeper.sessions.size,
    publish: (topic, payload, { qos, retain }) =>
      new Promise((resolve, reject) => {
        const packet = { cmd: "publish", topic, payload: Buffer.from(payload), qos, retain, dup: false } as const;
        aedes.publish(packet, (error) => {
          if (error) reject(new HubError("unavailable", `MQTT publish failed: ${error.message}`, { cause: error }));
          else resolve();
        });
      }),
    disconnect(matches) {
      for (const { account, client } of [...gatekeeper.sessions.values()]) if (matches(account)) client.close();
    },
    async [Symbol.asyncDispose]() {
      gatekeeper.deafen();
      const unbound = new Promise<void>((resolve) => server.close(() => resolve()));
      await within(clock, STOP_MS, "mqtt stop", new Promise<void>((resolve) => aedes.close(() => resolve())));
      for (const link of [...links.values()]) link.cut();
      await within(clock, STOP_MS, "mqtt listener stop", unbound);
    },
  };
}

/** The port that was bound. Throws HubError where the address cannot be had. */
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
      return new HubError("config", `MQTT cannot listen on ${at}: [mqtt] host is no address of this machine`, because);
    default:
      return new HubError("unavailable", `MQTT cannot listen on ${at}: ${error.message}`, because);
  }
}
