// The event stream: says at any time whether what the page shows is live. Comes back by itself, with the events it missed.
import { batch, signal } from "@preact/signals";
import { load, save } from "../../browser/storage.ts";
import { API, get } from "./api.ts";
import { session, sessionExpired } from "./session.ts";

export interface HubEvent {
  type: string;
  timestamp: string;
  seq: number;
  device_id?: string;
  [field: string]: unknown;
}

export type Connection =
  | { state: "live" }
  /** Connected, and reading what it missed. */
  | { state: "catching_up" }
  /** `since`: epoch ms of the last sign of life. */
  | { state: "offline"; since: number };

const SEEN = "seen";
const BEAT_MS = 500;
const PING_MS = 2000;
const PING_APART_MS = 250;
// With a beat that comes late, five seconds.
const QUIET_MS = 4500;
/** A socket that is silent, or does not open, for so long is given up. */
const GIVE_UP_MS = 10_000;
const RETRY_MS = { first: 500, longest: 5000 };
const POLICY = 1008;
/** Events that come together are reported together; one that comes alone, at once. */
const TOGETHER_MS = { least: 50, most: 1000 };

export interface LiveOptions {
  onEvent: (event: HubEvent) => void;
  /** Reads everything anew: at the beginning, and after a gap. Rejects where it could not. */
  refresh: () => Promise<void>;
}

/** One socket, from its opening to its end. */
interface Link {
  socket: WebSocket;
  token: string;
  begun: Moment;
  /** Counts how often everything was read anew: only the last time counts. */
  turn: number;
  /** Events that came while everything is read anew: they are newer than what is read. */
  held: HubEvent[] | undefined;
  /** Whether what was missed is asked for: only then a pong says that all of it has come. */
  isAsked: boolean;
}

/** A moment on two clocks: one is set by people and time servers, the other may stand still while the machine sleeps. */
interface Moment {
  wall: number;
  steady: number;
}

function now(): Moment {
  return { wall: Date.now(), steady: performance.now() };
}

function since({ wall, steady }: Moment): number {
  return Math.max(Date.now() - wall, performance.now() - steady);
}

/** Many events at once are drawn once. */
function createTogether(notify: (event: HubEvent) => void): { push: (event: HubEvent) => void; flush: () => void } {
  let waiting: HubEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let emittedAt = Number.NEGATIVE_INFINITY;
  let togetherMs = TOGETHER_MS.least;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const begun = performance.now();
    emittedAt = begun;
    const events = waiting;
    waiting = [];
    batch(() => events.forEach(notify));
    // Drawing follows by itself. However much happens and however slow the machine is, half of the time is left for who uses the page.
    requestAnimationFrame(() =>
      setTimeout(() => {
        const took = performance.now() - begun;
        togetherMs = Math.min(TOGETHER_MS.most, Math.max(TOGETHER_MS.least, 2 * took));
      }),
    );
  }

  return {
    push(event) {
      waiting.push(event);
      const rest = togetherMs - (performance.now() - emittedAt);
      if (rest <= 0) flush();
      else timer ??= setTimeout(flush, rest);
    },
    flush,
  };
}

export class Live {
  /** Before the first sign: when the hub was seen in an earlier visit, as what is shown is of then. */
  #lastSign: Moment = { ...now(), wall: load<number>(SEEN) ?? Date.now() };
  #lastBeat = now();
  #lastPing = now();
  #started: LiveOptions | undefined;
  #link: Link | undefined;
  /** The last event of a house that was read wholly; undefined where it has to be read anew. */
  #lastSeq: number | undefined;
  #isWhole = false;
  #retryMs = RETRY_MS.first;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<(event: HubEvent) => void>();
  readonly #together = createTogether((event) => this.#notify(event));

  readonly connection = signal<Connection>({ state: "offline", since: this.#lastSign.wall });
  /** The last gap in the events of this visit: what happened in it nobody can know any more. */
  readonly gap = signal<{ at: string } | undefined>(undefined);

  /** Receives every event of the stream, and its gaps. Returns what ends that. */
  readonly listen = (listener: (event: HubEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Connects while somebody is signed in. Call it once. */
  readonly start = (options: LiveOptions): void => {
    this.#started = options;
    let userId: string | undefined;
    session.subscribe((who) => {
      // A renewed token of the same person changes nothing: the next connection uses it.
      if (who?.user.id === userId) return;
      userId = who?.user.id;
      this.#close();
      this.#forget();
      if (who) this.#connect();
    });
    const wake = (): void => this.#wake();
    setInterval(() => this.#beat(), BEAT_MS);
    for (const name of ["online", "pageshow"]) addEventListener(name, wake);
    addEventListener("offline", () => this.#lost());
    addEventListener("pagehide", () => session.value && save(SEEN, this.#lastSign.wall));
    document.addEventListener("resume", wake);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
  };

  /** After sleep or a change of network a socket may be dead without knowing. */
  #wake(): void {
    this.#lastBeat = now();
    if (!session.value || since(this.#lastSign) < PING_MS || (this.#link && since(this.#link.begun) < PING_MS)) return;
    this.#retryMs = RETRY_MS.first;
    this.#connect();
  }

  #beat(): void {
    const slept = since(this.#lastBeat) > QUIET_MS;
    this.#lastBeat = now();
    // Nobody looks at a hidden page, and browsers hardly let it beat: `wake` judges when it is shown.
    if (!session.value || document.visibilityState === "hidden") return;
    if (slept) {
      this.#wake();
      return;
    }
    if (this.#link?.socket.readyState === WebSocket.OPEN && since(this.#lastPing) >= PING_MS)
      this.#ping(this.#link.socket);
    const quiet = since(this.#lastSign);
    if (quiet > QUIET_MS) this.#lost();
    if (this.#link && quiet > GIVE_UP_MS && since(this.#link.begun) > GIVE_UP_MS) this.#connect();
  }

  #ping(socket: WebSocket): void {
    this.#lastPing = now();
    socket.send("ping");
  }

  /** The hub answers a few a second. */
  #pingSoon(opened: Link): void {
    const send = (): void => {
      if (opened === this.#link && opened.socket.readyState === WebSocket.OPEN) this.#ping(opened.socket);
    };
    const early = PING_APART_MS - since(this.#lastPing);
    if (early > 0) setTimeout(send, early);
    else send();
  }

  #lost(): void {
    if (this.connection.value.state !== "offline")
      this.connection.value = { state: "offline", since: this.#lastSign.wall };
  }

  #forget(): void {
    this.#isWhole = false;
    this.#lastSeq = undefined;
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#together.flush();
    const old = this.#link?.socket;
    this.#link = undefined;
    old?.close();
    this.#lost();
  }

  #connect(): void {
    this.#close();
    const who = session.value;
    if (!who) return;
    const query = new URLSearchParams({ token: who.token });
    if (this.#isWhole && this.#lastSeq !== undefined) query.set("since", String(this.#lastSeq));
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${API}/events/stream?${query}`);
    const opened: Link = { socket, token: who.token, begun: now(), turn: 0, held: undefined, isAsked: false };
    this.#link = opened;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      this.#lastSign = now();
      void this.#catchUp(opened);
    };
    socket.onmessage = ({ data }) => {
      if (opened === this.#link) this.#take(opened, JSON.parse(String(data)) as HubEvent);
    };
    socket.onclose = ({ code }) => {
      if (opened !== this.#link) return;
      this.#together.flush();
      this.#link = undefined;
      this.#lost();
      this.#ended(opened, { code, hasOpened });
    };
  }

  #ended({ token }: Link, { code, hasOpened }: { code: number; hasOpened: boolean }): void {
    const isRenewed = session.value !== undefined && session.value.token !== token;
    if (code === POLICY && !isRenewed) {
      sessionExpired();
      return;
    }
    // Browsers do not say why a socket was refused. Where it was for the token, this answer ends the session.
    if (!hasOpened) void get("/auth/me").catch(() => {});
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs * (0.75 + Math.random() / 2));
    this.#retryMs = Math.min(RETRY_MS.longest, this.#retryMs * 2);
  }

  /** Reads the house where events alone do not suffice, and asks for a sign behind all that was missed. */
  async #catchUp(opened: Link): Promise<void> {
    const turn = ++opened.turn;
    opened.isAsked = false;
    this.connection.value = { state: "catching_up" };
    try {
      if (!this.#isWhole || this.#lastSeq === undefined) {
        opened.held = [];
        await this.#started?.refresh();
        if (opened !== this.#link || turn !== opened.turn) return;
        this.#isWhole = true;
        const held = opened.held;
        opened.held = undefined;
        batch(() => {
          for (const event of held ?? []) this.#notify(event);
        });
      }
      this.#retryMs = RETRY_MS.first;
      opened.isAsked = true;
      this.#pingSoon(opened);
    } catch {
      if (opened === this.#link) opened.socket.close();
    }
  }

  #take(opened: Link, event: HubEvent): void {
    this.#lastSign = now();
    if (event.type.startsWith("stream_")) this.#together.flush();
    switch (event.type) {
      case "stream_pong":
        if (opened.isAsked && this.connection.value.state !== "live") this.connection.value = { state: "live" };
        return;
      case "stream_gap":
        this.gap.value = { at: event.timestamp };
        for (const listener of this.#listeners) listener(event);
        this.#forget();
        void this.#catchUp(opened);
        return;
    }
    if (opened.held) {
      opened.held.push(event);
      return;
    }
    this.#together.push(event);
  }

  #notify(event: HubEvent): void {
    this.#lastSeq = event.seq;
    this.#started?.onEvent(event);
    for (const listener of this.#listeners) listener(event);
  }
}

const live = new Live();
export const { connection, gap, listen, start: startLive } = live;
