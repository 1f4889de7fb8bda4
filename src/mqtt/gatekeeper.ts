// The answers aedes asks for: who is let in, what may be published, subscribed to and delivered. What is allowed is heard
// by the hub first and only then delivered, so that a slow subscriber never delays the hub itself.

import type { Duplex } from "node:stream";
import type { AedesOptions, AedesPublishPacket, Client, ConnectPacket, PublishPacket } from "aedes";
import type { RandomBytes } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { matchesFilter } from "../core/topic-filter.ts";
import type { Account, Accounts } from "./accounts.ts";
import type { MqttSection } from "./config.ts";
import type { FilterRoom } from "./filter-room.ts";
import type { Link } from "./link.ts";
import type { Paces } from "./paces.ts";
import { createPlaces } from "./places.ts";
import type { Heard } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";
import type { Rights } from "./rights.ts";
import { assignedClientId, clientIdProblem, sessionId } from "./session-ids.ts";
import { parseTopic } from "./topics.ts";

export interface GatekeeperOptions {
  config: MqttSection;
  random: RandomBytes;
  limits: Limits;
  paces: Paces;
  accounts: Pick<Accounts, "authenticate">;
  rights: Rights;
  hear: (message: Heard) => void;
  linkOf: (stream: Duplex) => Link | undefined;
  filterRoom: () => FilterRoom;
  /** So many bytes are to be sent to a client. */
  sending: (bytes: number) => void;
  admitted: (link: Link) => void;
  log: Log;
  limited: RateLimitedLog;
}

interface Session {
  client: Client;
  /** As the client calls itself; to the broker it is its session id. */
  clientId: string;
  account: Account;
  link: Link;
  /** What it is subscribed to, with the QoS asked for. */
  filters: Map<string, number>;
}

export interface Gatekeeper {
  readonly hooks: Pick<
    AedesOptions,
    "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward"
  >;
  /** By session id; clients that are connected and known. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** As the client calls itself, once it has. */
  clientIdOf(client: Client): string | undefined;
  unsubscribed(client: Client, filters: readonly string[]): void;
  accountOf(client: Client): string | undefined;
  /** From now on nothing is heard: the wills of clients that the stop disconnects are no news. */
  deafen(): void;
}

// A denied publish goes on under this name, emptied: it is acknowledged as usual, and reaches nobody.
const DROPPED = "$SYS/dropped";
const MOST_FILTERS = 1000;
const LONGEST_CLIENT_ID = 256;
const REFUSALS = {
  wrong_password: { code: 4, message: "bad user name or password" },
  no_account: { code: 5, message: "not authorized: an account is needed" },
  // Clients try again after this one; a wrong password ends some for good.
  too_many: { code: 3, message: "too many failed logins from this address" },
  no_place: { code: 3, message: "there are too many connections" },
  client_id: { code: 2, message: "client ids that begin with hub-plugin- are those of the hub's own plugins" },
  no_client_id: { code: 2, message: "a session that is to be kept needs a client id" },
} as const;
type Refusal = keyof typeof REFUSALS;

export function createGatekeeper(options: GatekeeperOptions): Gatekeeper {
  const { config, random, limits, paces, accounts, rights, hear, linkOf, filterRoom, admitted, log, limited } = options;
  const { prefix, max_payload_bytes: maxPayloadBytes } = config;
  const sessions = new Map<string, Session>();
  const known = new WeakMap<Client, Session>();
  const logins = new WeakMap<Client, { packet: ConnectPacket; clientId: string; found: Account | Refusal }>();
  const places = createPlaces({ config, limits, sessions });
  let deaf = false;

  /** Who it is. From here on the broker knows the client by its session id, as it does its subscriptions and its will. */
  function recognise(client: Client, packet: ConnectPacket): void {
    const { username, password, clean } = packet;
    const address = linkOf(client.conn as Duplex)?.address ?? "unknown";
    const clientId = packet.clientId || assignedClientId(random);
    let found: Account | Refusal = accounts.authenticate({ username, password, address });
    if (typeof found !== "string") {
      if (!packet.clientId && !clean) found = "no_client_id";
      else if (clientIdProblem(found, clientId)) found = "client_id";
      else packet.clientId = sessionId(found, clientId);
    }
    logins.set(client, { packet, clientId, found });
  }

  function admit(client: Client, clientId: string, account: Account, link: Link): void {
    const session: Session = { client, clientId, account, link, filters: new Map() };
    known.set(client, session);
    sessions.set(client.id, session);
    link.opened(paces.of(account));
    admitted(link);
    link.stream.once("close", () => {
      if (sessions.get(client.id) === session) sessions.delete(client.id);
    });
    log.debug("an MQTT client connected", { client: clientId, account: account.name, address: link.address });
  }

  function boundKeptSessions(client: Client, account: Account, packet: ConnectPacket): void {
    if (packet.clean) places.notKept(client.id);
    else if (!places.mayKeep(account, client.id)) {
      packet.clean = true;
      client.clean = true;
    }
  }

  function deny(session: Session, packet: PublishPacket): void {
    const { account, link } = session;
    limited.warn(`denied ${account.name}`, "a publish was denied and dropped", {
      account: account.name,
      client: session.clientId,
      address: link.address,
      topic: packet.topic.slice(0, 200),
    });
    packet.topic = DROPPED;
    packet.payload = Buffer.alloc(0);
    packet.retain = false;
  }

  function publish(session: Session, packet: PublishPacket): void {
    const topic = parseTopic(prefix, packet.topic);
    if (!rights.mayPublish(session.account, packet.topic, topic)) {
      deny(session, packet);
      return;
    }
    if (deaf) return;
    const { topic: name, qos, retain } = packet;
    const payload = typeof packet.payload === "string" ? Buffer.from(packet.payload) : packet.payload;
    hear({ account: session.account, clientId: session.clientId, name, topic, payload, qos, retain });
  }

  return {
    sessions,
    clientIdOf: (client) => logins.get(client)?.clientId,
    unsubscribed(client, filters) {
      for (const filter of filters) known.get(client)?.filters.delete(filter);
      filterRoom().drop(client.id, filters);
    },
    accountOf: (client) => known.get(client)?.account.name,
    deafen() {
      deaf = true;
    },
    hooks: {
      preConnect(client, packet, callback) {
        const { length } = packet.clientId;
        if (length > LONGEST_CLIENT_ID) return callback(new Error(`a client id of ${length} characters`), false);
        recognise(client, packet);
        callback(null, true);
      },
      authenticate(client, username, _password, callback) {
        const link = linkOf(client.conn as Duplex);
        const login = logins.get(client);
        if (!link || !login) return callback(null, false);
        const { found, packet, clientId } = login;
        const refusal = typeof found !== "string" && !places.mayConnect(found, client.id) ? "no_place" : found;
        if (typeof refusal !== "string") {
          admit(client, clientId, refusal, link);
          boundKeptSessions(client, refusal, packet);
          return callback(null, true);
        }
        const { code, message } = REFUSALS[refusal];
        limited.warn(`login ${link.address}`, "an MQTT login was refused", {
          address: link.address,
          username: username?.slice(0, 200),
          client: clientId,
          reason: message,
        });
        callback(Object.assign(new Error(message), { returnCode: code }), false);
      },
      authorizePublish(client, packet, callback) {
        const session = client ? known.get(client) : undefined;
        if (!session) return callback(new Error("publish without a login"));
        if (packet.payload.length > maxPayloadBytes)
          return callback(new Error(`a payload of ${packet.payload.length} bytes is more than ${maxPayloadBytes}`));
        publish(session, packet);
        callback();
      },
      authorizeSubscribe(client, subscription, callback) {
        const session = known.get(client);
        if (!session) return callback(null, null);
        const { account, filters } = session;
        const { topic } = subscription;
        const allowed = rights.maySubscribe(account, topic) && (filters.has(topic) || filters.size < MOST_FILTERS);
        if (allowed && filterRoom().claim(client, account.name, subscription)) {
          filters.set(topic, subscription.qos);
          return callback(null, subscription);
        }
        limited.warn(`subscription ${account.name}`, "a subscription was denied", {
          account: account.name,
          client: session.clientId,
          topic: topic.slice(0, 200),
        });
        callback(null, null);
      },
      authorizeForward(client: Client, packet: AedesPublishPacket) {
        const session = known.get(client);
        if (!session || packet.topic === DROPPED || !rights.mayReceive(session.account, packet.topic)) return null;
        options.sending(packet.payload.length);
        const { clientId: sender } = packet as { clientId?: string };
        const sentBy = sender === undefined ? undefined : sessions.get(sender);
        if (sentBy) paces.of(sentBy.account).delivered();
        const own = sender === client.id;
        if (own && session.link.refusesOwn(packet.topic)) return null;
        // aedes sends what is retained with the publisher's QoS to those who subscribed with a wildcard.
        if (packet.retain) packet.qos = Math.min(packet.qos, askedQos(session.filters, packet.topic)) as 0 | 1 | 2;
        return packet;
      },
    },
  };
}

function askedQos(filters: ReadonlyMap<string, number>, topic: string): number {
  let most = 0;
  for (const [filter, qos] of filters) if (qos > most && matchesFilter(filter, topic)) most = qos;
  return most;
}
