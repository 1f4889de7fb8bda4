// Strangers who open connections to the API and send nothing, half a request, or a byte now and then: the hub ends those that are too many,
// answers meanwhile, and keeps its memory.
// Over 10 s: connections are counted every two seconds.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { configText, createHubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";

const MANY = 2000;
const MOST = 512;
const MAX_GROWTH_KIB = 80 * 1024;

const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

const HEAD = "POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\n";

test.each([
  ["nothing", "", ""],
  ["half of a head", HEAD, ""],
  ["a long head, slowly", `${HEAD}X-Long: ${"y".repeat(12_000)}`, "y"],
  ["a body, slowly", `${HEAD}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`, " "],
])("thousands of connections that send %s", async (_, first, then) => {
  await using place = createHubPlace();
  // The first host is that of the API.
  place.put("config/hub.toml", configText().replace('host = "127.0.0.1"', 'host = "0.0.0.0"'));
  await using hub = await place.start();
  const before = residentKib(hub.pid);
  await using strangers = await open(hub.port, first, then);
  await until("most of them are ended", () => strangers.open <= MOST + 100);
  for (let count = 0; count < 5; count++)
    expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
  expect((await hub.request("GET", "/devices")).status).toBe(200);
  expect(residentKib(hub.pid) - before).toBeLessThan(MAX_GROWTH_KIB);
  await until("it is an alert", async () =>
    (await hub.get<{ kind: string; values: { account?: string } }[]>("/system/alerts")).some(
      ({ kind, values }) => kind === "flood" && values.account === (ownAddress ?? "127.0.0.1"),
    ),
  );
});

/** From another address than the one that asks, where the machine has one. */
async function open(port: number, first: string, then: string): Promise<AsyncDisposable & { readonly open: number }> {
  const sockets = new Set<Socket>();
  for (let index = 0; index < MANY; index++) {
    const socket = connect({ host: ownAddress ?? "127.0.0.1", port });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => void sockets.delete(socket));
    const opened = Promise.withResolvers<void>();
    socket.once("connect", () => opened.resolve());
    socket.once("close", () => opened.resolve());
    await opened.promise;
    if (first) socket.write(first);
  }
  const timer = setInterval(() => {
    if (then) for (const socket of sockets) socket.write(then);
  }, 1000);
  return {
    get open() {
      return sockets.size;
    },
    [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return Promise.resolve();
    },
  };
}

const residentKib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
