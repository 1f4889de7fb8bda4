// The hub's session at the external broker: connects, finds out what the broker can do, subscribes, and connects again after each
// end, with growing pauses. It stops for good where another program takes its place again and again.

import type { Fence } from "../../../kit/lifecycle/fence.ts";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type RandomBytes, secret } from "../../../kit/schema/ids.ts";
import { createBackoff } from "../../../kit/time/backoff.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { BrokerState } from "./broker-state.ts";
import { type Connection, type Ended, type MqttVersion, openConnection } from "./connection.ts";
import { EchoWatch } from "./echo.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EpochNotes } from "./epoch.ts";
import { ConnectError, connectError, TAKEN_OVER } from "./failure.ts";
import type { Received } from "./message-intake.ts";
import { type Capabilities, probe } from "./probe.ts";

export interface SessionOptions {
  /** Of the nodes of a cluster: the next one is tried when one is gone. */
  endpoints: readonly [Endpoint, ...Endpoint[]];
  clientId: string;
  prefix: string;
  filters: readonly string[];
  sessionSecs: number;
  maxPacketBytes: number;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  /** Before the first message of each connection. */
  onBegin: (capabilities: Capabilities) => void;
  onMessage: (message: Received) => void;
  /** Subscribed: messages can be sent. */
  onConnected: (connection: Connection, capabilities: Capabilities) => void;
  onDisconnected: () => void;
  /** There will be no connection soon. */
  onRefused: () => void;
  /** Once it is closed, the session ends, and is not begun again. */
  fence?: Fence | undefined;
  /** Where another machine may be the hub instead. */
  epochs?: Pick<EpochNotes, "topic" | "judge"> | undefined;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
// What a person has to mend is not mended in a second. But nodes of a cluster that elect their leaders lack what they have otherwise.
const REFUSED_PAUSE_MS = 60_000;
const FIRST_LACKING_PAUSE_MS = 3000;
const STEADY_MS = 60_000;
const TAKE_OVER_WINDOW_MS = 600_000;
const MAX_TAKE_OVERS = 2;
// Brokers of 3.1.1, and mosquitto, do not say why they end a connection: that another has taken its place is concluded.
const SHORT_SESSION_MS = 10_000;
// Longer than two programs leave each other the connection.
const UNDISPUTED_MS = 2 * MAX_PAUSE_MS;
const SHORT_SESSIONS_IN_A_ROW = 5;
const MAX_SHORT_SESSIONS = 3 * SHORT_SESSIONS_IN_A_ROW;
const OFTEN_PAUSE_MS = 300_000;

const DEAF =
  "it takes what the hub publishes and passes nothing on to it, so the hub begins a new session there; if that goes on, restart the broker";

export class Session implements AsyncDisposable {
  readonly #options: SessionOptions;
  readonly #backoff;
  readonly #lacking;
  readonly #echo: EchoWatch;
  #state: BrokerState = { kind: "connecting" };
  #node = 0;
  #version: MqttVersion | undefined;
  #connection: Connection | undefined;
  #retry: Timer | undefined;
  /** It, or another node, had all that is needed: what lacks now may come again. */
  #hasPassed = false;
  #isOver = false;
  /** The session passed nothing on: it is begun anew, and tried before it counts. */
  #isDeaf = false;
  #takeOvers: number[] = [];
  #brief = 0;
  /** Tries in a row at which no node was there. */
  #absent = 0;
  /** Monotonic ms of the end of the last connection. */
  #endedAt: number | undefined;
  #lastLogged = "";

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#backoff = createBackoff({ firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS }, options.random);
    this.#lacking = createBackoff({ firstMs: FIRST_LACKING_PAUSE_MS, maxMs: REFUSED_PAUSE_MS }, options.random);
    this.#echo = new EchoWatch({ ...options, subscribe: (connection) => this.#subscribe(connection) });
  }

  get state(): BrokerState {
    return this.#state;
  }

  /** Of the node that is used, or tried next. */
  get endpoint(): Endpoint {
    const { endpoints } = this.#options;
    return endpoints[this.#node % endpoints.length] ?? endpoints[0];
  }

  start(): void {
    background(this.#options.log, "connection to the MQTT broker", this.#connect());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#retry?.[Symbol.dispose]();
    this.#echo[Symbol.dispose]();
    // What its buffers hold is not sent any more.
    const closed = this.#options.fence?.closed;
    if (closed !== undefined) this.#connection?.cut(closed);
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { clock } = this.#options;
    if (this.#isReplaced()) return;
    let connection: Connection;
    try {
      connection = await this.#open();
    } catch (error) {
      this.#failed(connectError(error));
      return;
    }
    const since = clock.mono();
    this.#echo.connected(connection);
    const ended = await connection.ended;
    this.#echo.disconnected();
    this.#connection = undefined;
    this.#endedAt = clock.mono();
    if (this.#isOver) return;
    this.#options.onDisconnected();
    this.#lost(ended, clock.mono() - since);
  }

  /** Connected, tried and subscribed. */
  async #open(): Promise<Connection> {
    const { endpoint } = this;
    const { clientId, prefix, sessionSecs, clock, random, fence, epochs } = this.#options;
    const shared = this.#shared();
    const nonce = secret(random, 9);
    const capabilities = await probe({
      ...{ prefix, clock, nonce, read: epochs?.topic },
      open: async (onMessage) => {
        const tried = await openConnection(
          { ...shared, clientId: `hub-probe-${nonce}`, clean: true, onMessage },
          this.#version,
        );
        this.#version = tried.version;
        return tried;
      },
    });
    if (this.#isOver) throw new Error("the hub stops");
    await epochs?.judge(capabilities.kept);
    // The next connection takes the place of the other machine's, if that is the hub.
    fence?.assertOpen();
    // Messages that a broker of 3.1.1 has kept for longer than they are of use.
    const isStale = this.#endedAt !== undefined && clock.mono() - this.#endedAt > sessionSecs * 1000;
    if (this.#isDeaf || (isStale && this.#version === 4)) await this.#forget();
    this.#options.onBegin(capabilities);
    const connection = await openConnection(
      { ...shared, clientId, clean: sessionSecs === 0, onMessage: (message) => this.#received(message) },
      this.#version,
    );
    this.#connection = connection;
    try {
      await this.#subscribe(connection);
      if (this.#isDeaf && !(await this.#echo.passes(connection))) throw new ConnectError("deaf", DEAF);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#isDeaf = false;
    // It may have begun to stop meanwhile.
    if (this.#isOver) {
      await connection.close();
      throw new Error("the hub stops");
    }
    this.#hasPassed = true;
    this.#lacking.reset();
    this.#state = { kind: "connected" };
    this.#lastLogged = "";
    this.#options.log.info("connected to the MQTT broker", {
      ...{ url: endpoint.url, version: connection.version === 5 ? "5" : "3.1.1" },
      ...{
        qos: capabilities.qos,
        max_packet_bytes: capabilities.maxPacketBytes,
        dots_in_topics: capabilities.dotsInTopics,
      },
    });
    this.#options.onConnected(connection, capabilities);
    return connection;
  }

  #shared() {
    const { clock, sessionSecs, maxPacketBytes } = this.#options;
    return { clock, endpoint: this.endpoint, login: this.endpoint.login, sessionSecs, maxPacketBytes };
  }

  /** What the broker keeps for the hub's client id: a clean session ends it, and itself with its connection. */
  async #forget(): Promise<void> {
    const { clientId } = this.#options;
    const clean = await openConnection({ ...this.#shared(), clientId, clean: true, onMessage() {} }, this.#version);
    await clean.close();
  }

  async #subscribe(connection: Connection): Promise<void> {
    const { filters, prefix } = this.#options;
    for (const filter of filters) await connection.subscribe(filter, 1);
    await EchoWatch.subscribe(connection, prefix);
  }

  #received(message: Received): void {
    this.#echo.received(message);
    this.#options.onMessage(message);
  }

  #failed({ kind, message }: ConnectError): void {
    if (this.#isOver || this.#isReplaced()) return;
    const reason = `there is no connection to the MQTT broker at ${this.endpoint.url}: ${message}`;
    this.#node++;
    this.#absent = kind === "network" ? this.#absent + 1 : 0;
    // It was the broker that ended, not a quarrel over the session.
    if (this.#absent >= this.#options.endpoints.length) this.#brief = 0;
    if (kind === "network" || kind === "closed" || kind === "deaf" || (kind === "lacking" && this.#hasPassed)) {
      this.#become({ kind: "away", reason, since: this.#since() });
      this.#retryAfter(this.#backoff.next());
      return;
    }
    this.#become({ kind: "refused", reason, since: this.#since() });
    this.#options.onRefused();
    this.#retryAfter(kind === "lacking" ? this.#lacking.next() : REFUSED_PAUSE_MS);
  }

  #lost({ reason, code, isDeaf = false }: Ended, lastedMs: number): void {
    const { clock, clientId } = this.#options;
    const { endpoint } = this;
    const now = clock.mono();
    if (this.#isReplaced()) return;
    this.#node++;
    this.#isDeaf = isDeaf;
    if (lastedMs >= STEADY_MS) {
      this.#backoff.reset();
    }
    if (lastedMs < SHORT_SESSION_MS) this.#brief++;
    else if (lastedMs >= UNDISPUTED_MS) this.#brief = 0;
    if (code === TAKEN_OVER) this.#takeOvers = [...this.#takeOvers, now].filter((at) => now - at < TAKE_OVER_WINDOW_MS);
    if (this.#takeOvers.length >= MAX_TAKE_OVERS || this.#brief >= MAX_SHORT_SESSIONS) {
      const stopped = `the hub no longer tries the MQTT broker at ${endpoint.url}, as another program logs in there with the hub's client id "${clientId}", perhaps a second hub: stop that one, or set another [mqtt] client_id; then restart the hub`;
      this.#become({ kind: "stopped", reason: stopped, since: now });
      this.#options.onRefused();
      return;
    }
    const isOften = this.#brief > 0 && this.#brief % SHORT_SESSIONS_IN_A_ROW === 0;
    const often = isOften
      ? `; it does so again and again: is there another program with the client id "${clientId}"?`
      : "";
    const away = isDeaf ? `is of no use now: ${DEAF}` : `is gone: ${reason}${often}`;
    this.#become({ kind: "away", reason: `the MQTT broker at ${endpoint.url} ${away}`, since: now });
    this.#retryAfter(isOften ? OFTEN_PAUSE_MS : this.#backoff.next());
  }

  #isReplaced(): boolean {
    const reason = this.#options.fence?.closed;
    if (reason === undefined) return false;
    this.#become({ kind: "stopped", reason, since: this.#options.clock.mono() });
    this.#options.onRefused();
    return true;
  }

  #since(): number {
    return "since" in this.#state ? this.#state.since : this.#options.clock.mono();
  }

  #become(state: Extract<BrokerState, { reason: string }>): void {
    this.#state = state;
    // Logged once, not for every try.
    if (this.#lastLogged === state.reason) return;
    this.#lastLogged = state.reason;
    this.#options.log.error(state.reason);
  }

  #retryAfter(ms: number): void {
    this.#retry = this.#options.clock.after("mqtt broker", ms, () => {
      this.start();
    });
  }
}
