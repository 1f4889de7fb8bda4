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
/** Before the first sign: when the hub was seen in an earlier visit, as what is shown is of then. */
const seenAt = load<number>(SEEN) ?? Date.now();

export const connection = signal<Connection>({ state: "offline", since: seenAt });

/** The last gap in the events of this visit: what happened in it nobody can know any more. */
export const gap = signal<{ at: string } | undefined>(undefined);

const listeners = new Set<(event: HubEvent) => void>();

/** Receives every event of the stream, and its gaps. Returns what ends that. */
export function listen(listener: (event: HubEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

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

let started: LiveOptions | undefined;
let link: Link | undefined;
/** The last event of a house that was read wholly; undefined where it has to be read anew. */
let lastSeq: number | undefined;
let isWhole = false;
let lastSign: Moment = { ...now(), wall: seenAt };
let lastBeat = now();
let lastPing = now();
let retryMs = RETRY_MS.first;
let retry: ReturnType<typeof setTimeout> | undefined;
let userId: string | undefined;
let waiting: HubEvent[] = [];
let emitTimer: ReturnType<typeof setTimeout> | undefined;
let emittedAt = Number.NEGATIVE_INFINITY;
let togetherMs = TOGETHER_MS.least;

/** Connects while somebody is signed in. Call it once. */
export function startLive(options: LiveOptions): void {
  started = options;
  session.subscribe((who) => {
    // A renewed token of the same person changes nothing: the next connection uses it.
    if (who?.user.id === userId) return;
    userId = who?.user.id;
    close();
    forget();
    if (who) connect();
  });
  setInterval(beat, BEAT_MS);
  for (const name of ["online", "pageshow"]) addEventListener(name, wake);
  addEventListener("offline", lost);
  addEventListener("pagehide", () => session.value && save(SEEN, lastSign.wall));
  document.addEventListener("resume", wake);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
}

function now(): Moment {
  return { wall: Date.now(), steady: performance.now() };
}

function since({ wall, steady }: Moment): number {
  return Math.max(Date.now() - wall, performance.now() - steady);
}

/** After sleep or a change of network a socket may be dead without knowing. */
function wake(): void {
  lastBeat = now();
  if (!session.value || since(lastSign) < PING_MS || (link && since(link.begun) < PING_MS)) return;
  retryMs = RETRY_MS.first;
  connect();
}

function beat(): void {
  const slept = since(lastBeat) > QUIET_MS;
  lastBeat = now();
  // Nobody looks at a hidden page, and browsers hardly let it beat: `wake` judges when it is shown.
  if (!session.value || document.visibilityState === "hidden") return;
  if (slept) {
    wake();
    return;
  }
  if (link?.socket.readyState === WebSocket.OPEN && since(lastPing) >= PING_MS) ping(link.socket);
  const quiet = since(lastSign);
  if (quiet > QUIET_MS) lost();
  if (link && quiet > GIVE_UP_MS && since(link.begun) > GIVE_UP_MS) connect();
}

function ping(socket: WebSocket): void {
  lastPing = now();
  socket.send("ping");
}

/** The hub answers a few a second. */
function pingSoon(opened: Link): void {
  const send = (): void => {
    if (opened === link && opened.socket.readyState === WebSocket.OPEN) ping(opened.socket);
  };
  const early = PING_APART_MS - since(lastPing);
  if (early > 0) setTimeout(send, early);
  else send();
}

function lost(): void {
  if (connection.value.state !== "offline") connection.value = { state: "offline", since: lastSign.wall };
}

function forget(): void {
  isWhole = false;
  lastSeq = undefined;
}

function close(): void {
  clearTimeout(retry);
  emitWaiting();
  const old = link?.socket;
  link = undefined;
  old?.close();
  lost();
}

function connect(): void {
  close();
  const who = session.value;
  if (!who) return;
  const query = new URLSearchParams({ token: who.token });
  if (isWhole && lastSeq !== undefined) query.set("since", String(lastSeq));
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${API}/events/stream?${query}`);
  const opened: Link = { socket, token: who.token, begun: now(), turn: 0, held: undefined, isAsked: false };
  link = opened;
  let hasOpened = false;
  socket.onopen = () => {
    hasOpened = true;
    lastSign = now();
    void catchUp(opened);
  };
  socket.onmessage = ({ data }) => {
    if (opened === link) take(opened, JSON.parse(String(data)) as HubEvent);
  };
  socket.onclose = ({ code }) => {
    if (opened !== link) return;
    emitWaiting();
    link = undefined;
    lost();
    ended(opened, { code, hasOpened });
  };
}

function ended({ token }: Link, { code, hasOpened }: { code: number; hasOpened: boolean }): void {
  const isRenewed = session.value !== undefined && session.value.token !== token;
  if (code === POLICY && !isRenewed) {
    sessionExpired();
    return;
  }
  // Browsers do not say why a socket was refused. Where it was for the token, this answer ends the session.
  if (!hasOpened) void get("/auth/me").catch(() => {});
  clearTimeout(retry);
  retry = setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
  retryMs = Math.min(RETRY_MS.longest, retryMs * 2);
}

/** Reads the house where events alone do not suffice, and asks for a sign behind all that was missed. */
async function catchUp(opened: Link): Promise<void> {
  const turn = ++opened.turn;
  opened.isAsked = false;
  connection.value = { state: "catching_up" };
  try {
    if (!isWhole || lastSeq === undefined) {
      opened.held = [];
      await started?.refresh();
      if (opened !== link || turn !== opened.turn) return;
      isWhole = true;
      const held = opened.held;
      opened.held = undefined;
      batch(() => held?.forEach(notify));
    }
    retryMs = RETRY_MS.first;
    opened.isAsked = true;
    pingSoon(opened);
  } catch {
    if (opened === link) opened.socket.close();
  }
}

function take(opened: Link, event: HubEvent): void {
  lastSign = now();
  if (event.type.startsWith("stream_")) emitWaiting();
  switch (event.type) {
    case "stream_pong":
      if (opened.isAsked && connection.value.state !== "live") connection.value = { state: "live" };
      return;
    case "stream_gap":
      gap.value = { at: event.timestamp };
      for (const listener of listeners) listener(event);
      forget();
      void catchUp(opened);
      return;
  }
  if (opened.held) {
    opened.held.push(event);
    return;
  }
  waiting.push(event);
  const rest = togetherMs - (performance.now() - emittedAt);
  if (rest <= 0) emitWaiting();
  else emitTimer ??= setTimeout(emitWaiting, rest);
}

/** Many events at once are drawn once. */
function emitWaiting(): void {
  clearTimeout(emitTimer);
  emitTimer = undefined;
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

function notify(event: HubEvent): void {
  lastSeq = event.seq;
  started?.onEvent(event);
  for (const listener of listeners) listener(event);
}
