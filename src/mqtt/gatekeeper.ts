// Decides for aedes which clients are admitted, and what they may publish, subscribe to and receive. An allowed message goes to the
// hub first and to subscribers afterwards, so that a slow subscriber never delays the hub.
import type { Duplex } from "node:stream";
import type { AedesOptions, AedesPublishPacket, Client, ConnectPacket, PublishPacket, Subscription } from "aedes";
import type { RandomBytes } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { matchesFilter } from "../core/topic-filter.ts";
import type { Account, Accounts } from "./accounts.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { MqttSection } from "./config.ts";
import { type ConnectionLimits, createConnectionLimits } from "./connection-limits.ts";
import type { FilterQuota } from "./filter-quota.ts";
import type { ReceivedMessage } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Rights } from "./rights.ts";
import { assignedClientId, isReservedClientId, sessionId } from "./session-ids.ts";
import { parseTopic } from "./topics.ts";

export interface GatekeeperOptions {
  config: MqttSection;
  random: RandomBytes;
  limits: Limits;
  rateLimits: RateLimits;
  accounts: Pick<Accounts, "authenticate">;
  rights: Rights;
  onMessage: (message: ReceivedMessage) => void;
  connectionOf: (stream: Duplex) => ClientConnection | undefined;
  filterQuota: () => FilterQuota;
  /** Called with the number of bytes that are to be sent to a client. */
  onSending: (bytes: number) => void;
  onAdmitted: (connection: ClientConnection) => void;
  log: Log;
  limited: RateLimitedLog;
}

interface Session {
  client: Client;
  /** The client's own id; the broker uses the session id. */
  clientId: string;
  account: Account;
  connection: ClientConnection;
  /** Its subscriptions, with the QoS it asked for. */
  filters: Map<string, number>;
}

interface Login {
  packet: ConnectPacket;
  clientId: string;
  found: Account | Refusal;
}

type Hooks = Required<
  Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward">
>;
type Callback<Hook extends keyof Hooks> = Parameters<Hooks[Hook]> extends [...unknown[], infer Last] ? Last : never;

// A denied publish is renamed to this and emptied: it is acknowledged as usual, and delivered to nobody.
const DROPPED = "$SYS/dropped";
const MAX_FILTERS = 1000;
const MAX_CLIENT_ID_LENGTH = 256;
const REFUSALS = {
  wrong_password: { code: 4, message: "bad user name or password" },
  no_account: { code: 5, message: "not authorized: an account is needed" },
  // Clients try again after code 3; a wrong password makes some of them stop for good.
  too_many: { code: 3, message: "too many failed logins from this address" },
  no_connection: { code: 3, message: "there are too many connections" },
  client_id: { code: 2, message: "client ids that begin with hub-plugin- are reserved for the hub's own plugins" },
  no_client_id: { code: 2, message: "a session that is to be kept needs a client id" },
} as const;
type Refusal = keyof typeof REFUSALS;

export class Gatekeeper {
  readonly hooks: Hooks = {
    preConnect: (client, packet, callback) => this.#preConnect(client, packet, callback),
    authenticate: (client, username, _, callback) => this.#authenticate(client, username, callback),
    authorizePublish: (client, packet, callback) => this.#authorizePublish(client, packet, callback),
    authorizeSubscribe: (client, wanted, callback) => this.#authorizeSubscribe(client, wanted, callback),
    authorizeForward: (client, packet) => this.#authorizeForward(client, packet),
  };
  readonly #options: GatekeeperOptions;
  readonly #connectionLimits: ConnectionLimits;
  readonly #logins = new WeakMap<Client, Login>();
  readonly #sessions = new Map<string, Session>();
  readonly #sessionOf = new WeakMap<Client, Session>();
  #ignoring = false;

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    const { config, limits } = options;
    this.#connectionLimits = createConnectionLimits({ config, limits, sessions: this.#sessions });
  }

  /** By session id; clients that are connected and logged in. */
  get sessions(): ReadonlyMap<string, Session> {
    return this.#sessions;
  }

  /** The client's own id; undefined before its CONNECT. */
  clientIdOf(client: Client): string | undefined {
    return this.#logins.get(client)?.clientId;
  }

  accountOf(client: Client): string | undefined {
    return this.#sessionOf.get(client)?.account.name;
  }

  hasSubscriber(topic: string, counts: (account: Account, filter: string) => boolean): boolean {
    const { rights } = this.#options;
    return this.#sessions.values().some(({ account, filters }) => {
      const gets = filters.keys().some((filter) => matchesFilter(filter, topic) && counts(account, filter));
      return gets && rights.mayReceive(account, topic);
    });
  }

  unsubscribed(client: Client, filters: readonly string[]): void {
    const session = this.#sessionOf.get(client);
    for (const filter of filters) session?.filters.delete(filter);
    this.#options.filterQuota().release(client.id, filters);
  }

  /** From now on messages are ignored: those left are wills of the clients that a stop disconnects. */
  ignoreMessages(): void {
    this.#ignoring = true;
  }

  #preConnect(client: Client, packet: ConnectPacket, callback: Callback<"preConnect">) {
    const { length } = packet.clientId;
    if (length > MAX_CLIENT_ID_LENGTH) return callback(new Error(`a client id of ${length} characters`), false);
    this.#identify(client, packet);
    callback(null, true);
  }

  /** Finds the account. From here on the broker uses the session id for the client, its subscriptions and its will. */
  #identify(client: Client, packet: ConnectPacket): void {
    const { accounts, connectionOf, random } = this.#options;
    const { username, password, clean } = packet;
    const address = connectionOf(client.conn as Duplex)?.address ?? "unknown";
    const clientId = packet.clientId || assignedClientId(random);
    let found: Account | Refusal = accounts.authenticate({ username, password, address });
    if (typeof found !== "string") {
      if (!packet.clientId && !clean) found = "no_client_id";
      else if (isReservedClientId(found, clientId)) found = "client_id";
      else packet.clientId = sessionId(found, clientId);
    }
    this.#logins.set(client, { packet, clientId, found });
  }

  #authenticate(client: Client, username: string | undefined, callback: Callback<"authenticate">) {
    const connection = this.#options.connectionOf(client.conn as Duplex);
    const login = this.#logins.get(client);
    if (!connection || !login) return callback(null, false);
    const { found, packet, clientId } = login;
    const isFull = typeof found !== "string" && !this.#connectionLimits.mayConnect(found, client.id);
    const account = isFull ? "no_connection" : found;
    if (typeof account !== "string") {
      this.#admit(client, clientId, account, connection);
      this.#limitKeptSessions(client, account, packet);
      return callback(null, true);
    }
    const { code, message } = REFUSALS[account];
    const { address } = connection;
    const fields = { address, username: username?.slice(0, 200), client: clientId, reason: message };
    this.#options.limited.warn(`login ${address}`, "an MQTT login was refused", fields);
    callback(Object.assign(new Error(message), { returnCode: code }), false);
  }

  #admit(client: Client, clientId: string, account: Account, connection: ClientConnection): void {
    const { rateLimits, onAdmitted, log } = this.#options;
    const session: Session = { client, clientId, account, connection, filters: new Map() };
    this.#sessionOf.set(client, session);
    this.#sessions.set(client.id, session);
    connection.accept(rateLimits.of(account));
    onAdmitted(connection);
    connection.stream.once("close", () => {
      if (this.#sessions.get(client.id) === session) this.#sessions.delete(client.id);
    });
    log.debug("an MQTT client connected", { client: clientId, account: account.name, address: connection.address });
  }

  #limitKeptSessions(client: Client, account: Account, packet: ConnectPacket): void {
    if (packet.clean) this.#connectionLimits.notKept(client.id);
    else if (!this.#connectionLimits.mayKeep(account, client.id)) {
      packet.clean = true;
      client.clean = true;
    }
  }

  #authorizePublish(client: Client | null, packet: PublishPacket, callback: Callback<"authorizePublish">) {
    const session = client ? this.#sessionOf.get(client) : undefined;
    if (!session) return callback(new Error("publish without a login"));
    const { max_payload_bytes: most } = this.#options.config;
    const { length } = packet.payload;
    if (length > most) return callback(new Error(`a payload of ${length} bytes is more than ${most}`));
    this.#publish(session, packet);
    callback();
  }

  #publish(session: Session, packet: PublishPacket): void {
    const { config, rights, onMessage } = this.#options;
    const { account, clientId } = session;
    const topic = parseTopic(config.prefix, packet.topic);
    if (!rights.mayPublish(account, packet.topic, topic)) {
      this.#deny(session, packet);
      return;
    }
    if (this.#ignoring) return;
    const { topic: name, qos, retain } = packet;
    const payload = typeof packet.payload === "string" ? Buffer.from(packet.payload) : packet.payload;
    onMessage({ account, clientId, name, topic, payload, qos, retain });
  }

  #deny({ account, clientId, connection }: Session, packet: PublishPacket): void {
    this.#options.limited.warn(`denied ${account.name}`, "a publish was denied and dropped", {
      account: account.name,
      client: clientId,
      address: connection.address,
      topic: packet.topic.slice(0, 200),
    });
    packet.topic = DROPPED;
    packet.payload = Buffer.alloc(0);
    packet.retain = false;
  }

  #authorizeSubscribe(client: Client, wanted: Subscription, callback: Callback<"authorizeSubscribe">) {
    const { rights, filterQuota, limited } = this.#options;
    const session = this.#sessionOf.get(client);
    if (!session) return callback(null, null);
    const { account, clientId, filters } = session;
    const { topic } = wanted;
    const allowed = rights.maySubscribe(account, topic) && (filters.has(topic) || filters.size < MAX_FILTERS);
    if (allowed && filterQuota().claim(client, account.name, wanted)) {
      filters.set(topic, wanted.qos);
      return callback(null, wanted);
    }
    const fields = { account: account.name, client: clientId, topic: topic.slice(0, 200) };
    limited.warn(`subscription ${account.name}`, "a subscription was denied", fields);
    callback(null, null);
  }

  /** Called for every delivery. */
  #authorizeForward(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
    const { rights, rateLimits, onSending } = this.#options;
    const session = this.#sessionOf.get(client);
    if (!session || packet.topic === DROPPED || !rights.mayReceive(session.account, packet.topic)) return null;
    onSending(packet.payload.length);
    const { clientId: senderId } = packet as { clientId?: string };
    const sender = senderId === undefined ? undefined : this.#sessions.get(senderId);
    if (sender) rateLimits.of(sender.account).countDelivery();
    if (senderId === client.id && session.connection.refusesOwn(packet.topic)) return null;
    // aedes sends retained messages with the publisher's QoS to subscriptions with a wildcard.
    if (packet.retain) packet.qos = Math.min(packet.qos, askedQos(session.filters, packet.topic)) as 0 | 1 | 2;
    return packet;
  }
}

function askedQos(filters: ReadonlyMap<string, number>, topic: string): number {
  let most = 0;
  for (const [filter, qos] of filters) if (qos > most && matchesFilter(filter, topic)) most = qos;
  return most;
}
