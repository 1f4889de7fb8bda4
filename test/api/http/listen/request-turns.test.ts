// Requests share the event loop with everything else, and a pipeline has an end. Real sockets to a bare server.
import { expect, test } from "bun:test";
import { createRequestTurns } from "../../../../src/api/http/listen/request-turns.ts";
import type { LimitReached } from "../../../../src/kit/lifecycle/limits.ts";
import { openRawSocket } from "../../../support/raw-socket.ts";
import { until } from "../../../support/wait.ts";

const GET = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? "");

function serve({ maxPipelined = 64, workMs = 0 }) {
  const reached: LimitReached[] = [];
  const turns = createRequestTurns({ maxPipelined, limits: { reached: (limit) => void reached.push(limit) } });
  /** Requests answered in each turn of the event loop. */
  const perTurn: number[] = [];
  let isCounting = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: (request, self) =>
      turns.answer(request, self, () => {
        if (!isCounting) {
          isCounting = true;
          perTurn.push(0);
          setImmediate(() => {
            isCounting = false;
          });
        }
        perTurn.push((perTurn.pop() ?? 0) + 1);
        for (const end = performance.now() + workMs; performance.now() < end; );
        return new Response("ok");
      }),
  });
  return { server, port: server.port ?? 0, reached, perTurn, [Symbol.dispose]: () => void server.stop(true) };
}

test("a short pipeline is answered, one that is too long is refused and closed, and reported", async () => {
  using it = serve({ maxPipelined: 20 });
  using short = await openRawSocket(it.port);
  short.write(GET.repeat(20));
  await until("all answers", () => statusesIn(short.text).length === 20);
  expect(new Set(statusesIn(short.text))).toEqual(new Set(["200"]));
  expect(it.reached).toEqual([]);

  using long = await openRawSocket(it.port);
  // Bun reads all of it at once: what it leaves unread when it closes makes the kernel reset the connection, with what was answered.
  long.write(GET.repeat(200));
  await long.closed();
  const statuses = statusesIn(long.text);
  expect(statuses.indexOf("429")).toBe(statuses.length - 1);
  expect(statuses.length).toBeLessThanOrEqual(2 * 20 + 1);
  expect(long.text).toMatch(/^connection: close\r$/im);
  expect(it.reached).toMatchObject([{ limit: "[server] max_pipelined_requests", account: "127.0.0.1" }]);
});

test("requests that take long in sum wait for a later turn, and all are answered", async () => {
  using it = serve({ workMs: 1 });
  const sockets = await Promise.all(Array.from({ length: 100 }, () => openRawSocket(it.port)));
  for (const socket of sockets) socket.write(GET);
  await until("all answers", () => sockets.every(({ text }) => statusesIn(text).length === 1));
  expect(new Set(sockets.flatMap(({ text }) => statusesIn(text)))).toEqual(new Set(["200"]));
  // 16 that never wait, and what fits into five milliseconds.
  expect(Math.max(...it.perTurn)).toBeLessThanOrEqual(16 + 6);
  expect(it.reached).toEqual([]);
  for (const socket of sockets) socket[Symbol.dispose]();
});
