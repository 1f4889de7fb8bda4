// A real WebSocket client of the event stream: collects what comes and how it ended.
import { soon, until } from "./wait.ts";

export interface StreamFrame {
  type: string;
  timestamp: string;
  seq: number;
  [field: string]: unknown;
}

export interface StreamEnd {
  code: number;
  reason: string;
}

export interface StreamClient extends Disposable {
  readonly frames: readonly StreamFrame[];
  readonly closed: Promise<StreamEnd>;
  /** The first frame, past or future, that fits. */
  frame(what: string, fits: (frame: StreamFrame) => boolean, timeoutMs?: number): Promise<StreamFrame>;
  send(text: string): void;
}

/** Resolves when the upgrade was accepted; rejects when it was refused. */
export async function openStreamClient(url: string): Promise<StreamClient> {
  const socket = new WebSocket(url);
  const frames: StreamFrame[] = [];
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<StreamEnd>();
  socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data)) as StreamFrame));
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("close", ({ code, reason }) => {
    opened.reject(new Error(`the stream was closed with ${code} before it opened`));
    closed.resolve({ code, reason });
  });
  await soon("the stream opens", opened.promise);
  return {
    frames,
    closed: closed.promise,
    frame: (what, fits, timeoutMs = 45_000) => until(what, () => frames.find(fits), { timeoutMs, everyMs: 5 }),
    send: (text) => socket.send(text),
    [Symbol.dispose]: () => socket.close(),
  };
}
