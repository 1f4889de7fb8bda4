// A stranger without an account who floods the API, from a process of its own so that measuring is not held up. Argument:
// StrangerOrder as JSON. It floods until its time is up and prints what it did as one JSON object.

export const STRANGERS = [
  "pipelined page",
  "pipelined health",
  "plain requests",
  "unknown paths",
  "wrong tokens",
  "new connections",
  "slow heads",
] as const;
export type Stranger = (typeof STRANGERS)[number];

export interface StrangerOrder {
  flood: Stranger;
  port: number;
  ms: number;
}

const EVERY_MS = 20;
const PIPELINED_BYTES_PER_SECOND = 500_000;
const PLAIN_PER_SECOND = 8000;
const SLOW_HEADS = 2000;

interface Flooding {
  connections: number;
  /** What is sent when a connection opens. */
  first?: string;
  /** What is sent after each answer. */
  next?: string;
  /** What each connection sends every `everyMs`, or EVERY_MS, whether answers come or not. */
  steady?: string;
  everyMs?: number;
  /** Ends a connection by itself after its first answer. */
  once?: boolean;
}

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
/** So many bytes in one interval, in whole requests. */
const backToBack = (request: string, bytesPerSecond: number): string =>
  request.repeat(Math.max(1, Math.round((bytesPerSecond * EVERY_MS) / 1000 / request.length)));

const FLOODING: Record<Stranger, Flooding> = {
  "pipelined page": { connections: 8, steady: backToBack(get("/"), PIPELINED_BYTES_PER_SECOND / 8) },
  "pipelined health": { connections: 8, steady: backToBack(get("/api/v1/health"), 8_000_000 / 8) },
  "plain requests": { connections: 32, steady: backToBack(get("/"), (PLAIN_PER_SECOND / 32) * get("/").length) },
  "unknown paths": { connections: 32, first: get("/api/v1/nothing/here"), next: get("/api/v1/nothing/here") },
  "wrong tokens": wrongTokens(),
  "new connections": { connections: 32, first: get("/"), once: true },
  "slow heads": {
    connections: SLOW_HEADS,
    first: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    steady: "s",
    everyMs: 1000,
  },
};

function wrongTokens(): Flooding {
  const request = get("/api/v1/devices", "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.x\r\n");
  return { connections: 32, first: request, next: request };
}

async function main({ flood, port, ms }: StrangerOrder): Promise<void> {
  const { connections, first, next, steady, everyMs = EVERY_MS, once } = FLOODING[flood];
  const did: Record<string, number> = {};
  const count = (what: string, by = 1): void => {
    did[what] = (did[what] ?? 0) + by;
  };
  const open = new Set<Bun.Socket>();
  let over = false;

  function connect(): void {
    if (over) return;
    const opened = Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open(socket) {
          open.add(socket);
          count("connections");
          if (first) socket.write(first);
        },
        data(socket, chunk) {
          const text = chunk.toString("latin1");
          for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) count(`answers ${status}`);
          if (once) socket.end();
          else if (next) socket.write(next);
        },
        close(socket) {
          open.delete(socket);
          setTimeout(connect, 1);
        },
        error() {},
      },
    });
    opened.catch(() => void setTimeout(connect, EVERY_MS));
  }

  for (let index = 0; index < connections; index++) connect();
  const timer = setInterval(() => {
    if (steady) for (const socket of open) socket.write(steady);
  }, everyMs);
  await Bun.sleep(ms);
  over = true;
  clearInterval(timer);
  process.stdout.write(`did=${JSON.stringify(did)}\n`);
  process.exit(0);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as StrangerOrder);
