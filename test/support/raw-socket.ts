// A bare TCP connection, for what no proper client would send.
import { connect } from "node:net";
import { soon, until } from "./wait.ts";

export interface RawSocket extends Disposable {
  /** What was received so far. */
  readonly text: string;
  readonly isClosed: boolean;
  write(text: string | Uint8Array): void;
  /** Stops reading, so that the peer's sends pile up. */
  pause(): void;
  /** The status of the first response. */
  status(timeoutMs?: number): Promise<number>;
  closed(timeoutMs?: number): Promise<void>;
}

export async function openRawSocket(port: number): Promise<RawSocket> {
  const socket = connect({ host: "127.0.0.1", port });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  await soon("the connection opens", new Promise<void>((resolve) => socket.once("connect", () => resolve())));
  const text = (): string => Buffer.concat(chunks).toString("latin1");
  return {
    get text() {
      return text();
    },
    get isClosed() {
      return isClosed;
    },
    write: (data) => void socket.write(data),
    pause: () => void socket.pause(),
    status: async (timeoutMs = 30_000) =>
      Number((await until("a status line", () => /^HTTP\/1\.1 (\d{3})/.exec(text())?.[1], { timeoutMs })) ?? 0),
    closed: (timeoutMs = 30_000) => soon("the connection closes", ended, timeoutMs),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The head of a WebSocket handshake. */
export function handshake(path: string, headers: Record<string, string> = {}): string {
  const all = {
    Host: "127.0.0.1",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
