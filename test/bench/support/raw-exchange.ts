// One request as bytes over a connection of its own, and everything that comes back until the answer is whole, the peer
// closes, or the time is up.
export interface Exchange {
  /** All that was received, as latin1. */
  text: string;
  /** `answered`: a head at least; `closed`: the peer closed without a word; `silent`: neither in time. */
  end: "answered" | "closed" | "silent";
}

export interface ExchangeOptions {
  port: number;
  bytes: Buffer;
  /** Bytes without a whole request in them are given this long to be answered. */
  withinMs: number;
  /** After a whole answer: whether more comes, as from a second request that was smuggled in. */
  lingerMs?: number;
}

const MAX_BYTES = 4_000_000;

export function exchange({ port, bytes, withinMs, lingerMs = 0 }: ExchangeOptions): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const chunks: Buffer[] = [];
  let received = 0;
  let socket: Bun.Socket | undefined;
  let lingering = false;
  let rest: Buffer = bytes;
  const finish = (end: Exchange["end"]): void => {
    clearTimeout(timer);
    socket?.terminate();
    resolve({ text: Buffer.concat(chunks).toString("latin1"), end });
  };
  const timer = setTimeout(() => finish("silent"), withinMs);
  const send = (to: Bun.Socket): void => {
    const written = to.write(rest);
    if (written > 0) rest = rest.subarray(written);
  };
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(opened) {
        socket = opened;
        send(opened);
      },
      drain: (writable) => (rest.length > 0 ? send(writable) : undefined),
      data(_, chunk) {
        chunks.push(chunk);
        received += chunk.length;
        if (lingering || (received < MAX_BYTES && !isWhole(Buffer.concat(chunks).toString("latin1"), bytes))) return;
        if (lingerMs === 0) return finish("answered");
        lingering = true;
        setTimeout(() => finish("answered"), lingerMs);
      },
      close: () => finish(chunks.length > 0 ? "answered" : "closed"),
      error: () => finish("closed"),
    },
  }).catch(() => finish("closed"));
  return promise;
}

const HEAD = Buffer.from("HEAD ");

function isWhole(text: string, request: Buffer): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const status = statusOf(text);
  if (status === 101 || status === 204 || status === 304 || request.subarray(0, 5).equals(HEAD)) return true;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= end + 4 + Number(length);
}

/** Of the first answer; NaN where there is none. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? Number.NaN);
}

/** Of all answers in it. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map((match) => Number(match[1]));
}

export function bodyOf(text: string): string {
  const whole = text.replace(/^(HTTP\/1\.1 100 Continue\r\n\r\n)+/, "");
  const end = whole.indexOf("\r\n\r\n");
  return end < 0 ? "" : whole.slice(end + 4);
}
