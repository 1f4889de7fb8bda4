// The event stream: says at any time whether what the page shows is live. Comes back by itself, with the events it missed.
import { signal } from "@preact/signals";
import { API } from "./api.ts";
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

export const connection = signal<Connection>({ state: "offline", since: Date.now() });

const listeners = new Set<(event: HubEvent) => void>();

/** Hears every event of the stream. Returns what ends that. */
export function listen(listener: (event: HubEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const PING_MS = 2000;
const QUIET_MS = 5000;
const RETRY_MS = { first: 500, longest: 10_000 };
const POLICY = 1008;

export interface LiveOptions {
  onEvent: (event: HubEvent) => void;
  /** Reads everything anew: at the beginning, and after a gap. Rejects where it could not. */
  refresh: () => Promise<void>;
}

let started: LiveOptions | undefined;
let socket: WebSocket | undefined;
let lastSeq: number | undefined;
let lastSign = 0;
let retryMs = RETRY_MS.first;
let retry: ReturnType<typeof setTimeout> | undefined;

/** Connects while somebody is signed in. Call it once. */
export function startLive(options: LiveOptions): void {
  started = options;
  session.subscribe((who) => {
    close();
    lastSeq = undefined;
    if (who) connect();
  });
  setInterval(beat, PING_MS);
  for (const name of ["online", "pageshow"]) addEventListener(name, wake);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
}

/** After sleep or a change of network a socket may be dead without knowing. */
function wake(): void {
  if (!session.value || Date.now() - lastSign < PING_MS) return;
  retryMs = RETRY_MS.first;
  connect();
}

function beat(): void {
  if (!session.value) return;
  if (socket?.readyState === WebSocket.OPEN) socket.send("ping");
  const quiet = Date.now() - lastSign;
  if (connection.value.state !== "offline" && quiet > QUIET_MS) lost();
  if (socket?.readyState === WebSocket.OPEN && quiet > 2 * QUIET_MS) connect();
}

function lost(): void {
  if (connection.value.state !== "offline") connection.value = { state: "offline", since: lastSign || Date.now() };
}

function close(): void {
  clearTimeout(retry);
  const old = socket;
  socket = undefined;
  old?.close();
  lost();
}

function connect(): void {
  close();
  const who = session.value;
  if (!who) return;
  const query = new URLSearchParams({ token: who.token });
  if (lastSeq !== undefined) query.set("since", String(lastSeq));
  const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}${API}/events/stream?${query}`);
  socket = opened;
  opened.onopen = () => void caughtUp(opened, lastSeq === undefined);
  opened.onmessage = ({ data }) => {
    if (opened === socket) take(opened, JSON.parse(String(data)) as HubEvent);
  };
  opened.onclose = ({ code }) => {
    if (opened !== socket) return;
    socket = undefined;
    lost();
    if (code === POLICY) sessionExpired();
    else again();
  };
}

function again(): void {
  clearTimeout(retry);
  retry = setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
  retryMs = Math.min(RETRY_MS.longest, retryMs * 2);
}

async function caughtUp(opened: WebSocket, anew: boolean): Promise<void> {
  lastSign = Date.now();
  connection.value = { state: "catching_up" };
  try {
    if (anew) await started?.refresh();
    if (opened !== socket) return;
    retryMs = RETRY_MS.first;
    // The answer comes behind all that was missed.
    opened.send("ping");
  } catch {
    opened.close();
  }
}

function take(opened: WebSocket, event: HubEvent): void {
  lastSign = Date.now();
  switch (event.type) {
    case "stream_pong":
      if (connection.value.state !== "live") connection.value = { state: "live" };
      return;
    case "stream_gap":
      lastSeq = undefined;
      void caughtUp(opened, true);
      return;
  }
  lastSeq = event.seq;
  started?.onEvent(event);
  for (const listener of listeners) listener(event);
}
