// Decides for aedes which clients are admitted, and what they may publish (publish-gate.ts), subscribe to and receive.
import type { Duplex } from "node:stream";
import type { AedesOptions, AedesPublishPacket, Client, ConnectPacket, PublishPacket, Subscription } from "aedes";
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { matchesFilter } from "../../../kit/text/topic-filter.ts";
import { type Account, type Accounts, accountKey } from "../accounts/accounts.ts";
import type { ClientConnection } from "./connection/client-connection.ts";
import { isExpired, propertiesOf, setProperties } from "./connection/message-properties.ts";
import { type ConnectionLimits, createConnectionLimits } from "./connection-limits.ts";
import { forwarded, isDropped } from "./forwarding.ts";
import { packetLimitOf } from "./packet-limit.ts";
import { PublishGate, type PublishGateOptions } from "./publish-gate.ts";
import type { RateLimits } from "./rate-limits.ts";
import { assignedClientId, isReservedClientId, sessionId } from "./session-ids.ts";

export interface GatekeeperOptions extends PublishGateOptions {
  random: RandomBytes;
  limits: Limits;
  rateLimits: RateLimits;
  accounts: Pick<Accounts, "authenticate">;
  connectionOf: (stream: Duplex) => ClientConnection | undefined;
  /** Called with the number of bytes that are to be sent to a client. */
  onSending: (bytes: number) => void;
  /** Called for each publish and subscription that is denied. */
  onDenied: () => void;
  onAdmitted: (connection: ClientConnection) => void;
  /** Called for each filter whose messages a client gets from now on. */
  onSubscribed: (account: Account, filter: string) => void;
  log: Log;
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
  readonly #publishGate: PublishGate;
  readonly #connectionLimits: ConnectionLimits;
  readonly #logins = new WeakMap<Client, Login>();
  readonly #sessions = new Map<string, Session>();
  readonly #sessionOf = new WeakMap<Client, Session>();

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    this.#publishGate = new PublishGate(options);
    const { config, limits } = options;
    this.#connectionLimits = createConnectionLimits({
      ...{ config, limits, sessions: this.#sessions },
      kept: () => options.memory().sessions.ids(),
    });
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
    const session = this.#sessionOf.get(client);
    return session && accountKey(session.account);
  }

  accountAt(connection: ClientConnection): Account | undefined {
    return [...this.#sessions.values()].find((session) => session.connection === connection)?.account;
  }

  hasSubscriber(topic: string, counts: (account: Account, filter: string) => boolean): boolean {
    const { rights } = this.#options;
    return this.#sessions.values().some(({ account, filters }) => {
      const gets = filters.keys().some((filter) => matchesFilter(filter, topic) && counts(account, filter));
      return gets && rights.mayReceive(account, topic);
    });
  }

  /** Without `filters`, a client took up its kept session with those that this has. */
  subscribed(client: Client, filters?: readonly string[]): void {
    const session = this.#sessionOf.get(client);
    if (!session) return;
    const granted = [...(filters ?? session.filters.keys())].filter((filter) => session.filters.has(filter));
    for (const filter of granted) this.#options.onSubscribed(session.account, filter);
  }

  unsubscribed(client: Client, filters: readonly string[]): void {
    const session = this.#sessionOf.get(client);
    for (const filter of filters) session?.filters.delete(filter);
    this.#options.memory().filters.release(client.id, filters);
  }

  /** From now on messages are ignored: those left are wills of the clients that a stop disconnects. */
  ignoreMessages(): void {
    this.#publishGate.ignoreMessages();
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
    const connection = connectionOf(client.conn as Duplex);
    const address = connection?.address ?? "unknown";
    // Ours to watch: aedes does not see the messages that the connection reads itself.
    connection?.expect(packet.keepalive ?? 0);
    packet.keepalive = 0;
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
    const { config, rateLimits, onAdmitted, memory, log } = this.#options;
    const session: Session = { client, clientId, account, connection, filters: new Map() };
    this.#sessionOf.set(client, session);
    this.#sessions.set(client.id, session);
    connection.accept({
      account: accountKey(account),
      rateLimit: rateLimits.of(account),
      maxPacketBytes: packetLimitOf(account, config).bytes,
      onPublish: (publish, passed) => this.#publishGate.receive(session, publish, passed),
    });
    onAdmitted(connection);
    connection.stream.once("close", () => {
      if (this.#sessions.get(client.id) !== session) return;
      this.#sessions.delete(client.id);
      memory().sessions.left(client.id);
      memory().queues.left(client.id);
    });
    log.debug("an MQTT client connected", { client: clientId, account: account.name, address: connection.address });
  }

  #limitKeptSessions(client: Client, account: Account, packet: ConnectPacket): void {
    const memory = this.#options.memory();
    if (!packet.clean && this.#connectionLimits.mayKeep(account, client.id)) {
      const connection = this.#options.connectionOf(client.conn as Duplex);
      memory.sessions.connected(client.id, connection?.v5?.keepSecs);
      memory.queues.resume(client.id);
      return;
    }
    packet.clean = true;
    client.clean = true;
    memory.endSession(client.id);
  }

  #authorizePublish(client: Client | null, packet: PublishPacket, callback: Callback<"authorizePublish">) {
    const session = client ? this.#sessionOf.get(client) : undefined;
    if (session) this.#publishGate.authorize(session, packet, callback);
    else callback(new Error("publish without a login"));
  }

  #authorizeSubscribe(client: Client, wanted: Subscription, callback: Callback<"authorizeSubscribe">) {
    const { rights, memory, limited } = this.#options;
    const session = this.#sessionOf.get(client);
    if (!session) return callback(null, null);
    const { account, clientId, filters } = session;
    const { topic } = wanted;
    const allowed = rights.maySubscribe(account, topic) && (filters.has(topic) || filters.size < MAX_FILTERS);
    if (allowed && memory().filters.claim(client, account.name, wanted)) {
      filters.set(topic, wanted.qos);
      return callback(null, wanted);
    }
    const fields = { account: account.name, client: clientId, topic: topic.slice(0, 200) };
    this.#options.onDenied();
    limited.warn(`subscription ${account.name}`, "a subscription was denied", fields);
    callback(null, null);
  }

  /** Called for every delivery, with a packet of its own. */
  #authorizeForward(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
    const session = this.#sessionOf.get(client);
    if (this.#options.memory().queues.isResumed(client.id, packet)) return null;
    if (session && this.#mayForward(session, packet)) return forwarded(packet, session);
    if (!client.clean) this.#options.memory().queues.skip(client.id, packet);
    return null;
  }

  #mayForward(session: Session, packet: AedesPublishPacket): boolean {
    const { clock, rights, rateLimits, memory, onSending } = this.#options;
    const { topic } = packet;
    if (isDropped(packet) || !rights.mayReceive(session.account, topic)) return false;
    // aedes leaves them out of what is sent for a new subscription.
    if (packet.retain) setProperties(packet, memory().retained.get(topic)?.properties);
    if (isExpired(propertiesOf(packet), clock.mono())) return false;
    onSending(packet.payload.length);
    const { clientId: senderId } = packet as { clientId?: string };
    const sender = senderId === undefined ? undefined : this.#sessions.get(senderId);
    if (sender) rateLimits.of(sender.account).countDelivery();
    return senderId !== session.client.id || !session.connection.refusesOwn(topic);
  }
}
