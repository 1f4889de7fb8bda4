// Asks GET /health every two milliseconds, whether the answers before have come or not, from a process of its own so that
// no other load delays it. Argument: PingOrder as JSON. Prints the milliseconds of every answer as one JSON list.

export interface PingOrder {
  port: number;
  ms: number;
}

const EVERY_MS = 2;
// So many may be without an answer; a stall of a quarter of a second is seen whole.
const CONNECTIONS = 128;
const HEAD = /^HTTP\/1\.1 200 /;

interface Line {
  socket: Bun.Socket;
  sentAt: number;
}

async function main({ port, ms }: PingOrder): Promise<void> {
  const request = `GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const spans: number[] = [];
  const free: Line[] = [];
  const lines = new Map<Bun.Socket, Line>();
  const receive = (socket: Bun.Socket, chunk: Buffer): void => {
    const line = lines.get(socket);
    if (!line || !HEAD.test(chunk.toString("latin1", 0, 16))) throw new Error(`no health: ${chunk}`);
    spans.push(performance.now() - line.sentAt);
    free.push(line);
  };
  for (let index = 0; index < CONNECTIONS; index++) {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: receive } });
    const line = { socket, sentAt: 0 };
    lines.set(socket, line);
    free.push(line);
  }
  const timer = setInterval(function ping() {
    // The one that rested longest: few connections in use would be warmer than many.
    const line = free.shift();
    if (!line) throw new Error(`${CONNECTIONS} pings have no answer`);
    line.sentAt = performance.now();
    line.socket.write(request);
  }, EVERY_MS);
  await Bun.sleep(ms);
  clearInterval(timer);
  for (const until = performance.now() + 5000; free.length < CONNECTIONS; await Bun.sleep(5))
    if (performance.now() > until) throw new Error("a ping was never answered");
  for (const { socket } of lines.values()) socket.terminate();
  process.stdout.write(`${JSON.stringify(spans)}\n`);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as PingOrder);
