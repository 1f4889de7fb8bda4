// How much strangers may ask, of the module alone and of a whole hub, with the alert that says so and ends.
import { expect, test } from "bun:test";
import { createCallers } from "../../../../src/api/http/callers.ts";
import { createAddressLimit } from "../../../../src/api/http/listen/address-limit.ts";
import type { LimitReached } from "../../../../src/kit/lifecycle/limits.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { NO_PLUGINS } from "../../../support/no-plugins.ts";
import { openRawSocket } from "../../../support/raw-socket.ts";
import { startTestHub } from "../../../support/test-hub.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";

const PER_SECOND = 5;

function rig() {
  const clock = createVirtualClock();
  const reached: LimitReached[] = [];
  const callers = createCallers({
    ...{ auth: { identify: () => undefined, assertConfirmed() {}, isConfirmed: () => false }, own: NO_PLUGINS },
    ...{ corsOrigins: [], hosts: [], log: silentLog },
    trustedProxies: ["10.0.0.1"],
  });
  const limits = { reached: (limit: LimitReached) => void reached.push(limit) };
  const limit = createAddressLimit({ perSecond: PER_SECOND, callers, clock, limits });
  /** How many of so many requests are let through. */
  const passed = (count: number, address: string, forwardedFor?: string): number => {
    const headers = new Headers();
    if (forwardedFor !== undefined) headers.set("x-forwarded-for", forwardedFor);
    const request = new Request("http://hub/x", { headers });
    const server = { requestIP: () => ({ address, port: 1 }) };
    return Array.from({ length: count }, () => limit.refusal(request, server)).filter((refusal) => !refusal).length;
  };
  return { clock, reached, passed };
}

test("an address has a burst and a rate of its own", async () => {
  const { clock, reached, passed } = rig();
  expect(passed(100, "192.0.2.1")).toBe(4 * PER_SECOND);
  expect(reached[0]).toMatchObject({ limit: "[server] max_anonymous_requests_per_second", account: "192.0.2.1" });
  expect(passed(3, "192.0.2.2")).toBe(3);
  await clock.advance(1000);
  expect(passed(100, "192.0.2.1")).toBe(PER_SECOND);
});

test("a network of 64 bits is one address, a client behind a proxy of the house another, behind any other proxy one", () => {
  const { passed } = rig();
  expect(passed(100, "2001:db8::1") + passed(100, "2001:db8::2")).toBe(4 * PER_SECOND);
  expect(passed(100, "10.0.0.1", "192.0.2.1")).toBe(4 * PER_SECOND);
  expect(passed(100, "10.0.0.1", "192.0.2.2")).toBe(4 * PER_SECOND);
  expect(passed(100, "10.0.0.2", "192.0.2.3") + passed(100, "10.0.0.2", "192.0.2.4")).toBe(4 * PER_SECOND);
  expect(passed(1, "10.0.0.2")).toBe(1);
});

test("made-up addresses take no memory beyond a bound", () => {
  const { passed } = rig();
  expect(passed(100, "192.0.2.1")).toBe(4 * PER_SECOND);
  for (let n = 0; n < 5000; n++) passed(1, `2001:db8:${n.toString(16)}::1`);
  expect(passed(100, "192.0.2.1")).toBe(4 * PER_SECOND);
});

test("strangers are refused, accounts and watchdogs are not, and the alert ends when the flood did", async () => {
  const clock = createVirtualClock();
  await using hub = await startTestHub({ clock, server: `max_anonymous_requests_per_second = ${PER_SECOND}` });
  const statuses = async (path: string, token?: string) => {
    const answers = [];
    for (let n = 0; n < 30; n++) answers.push(await hub.request("GET", path, token === undefined ? {} : { token }));
    return answers;
  };
  for (const path of ["/openapi.json", "/devices", "/nothing"]) {
    await clock.advance(60_000);
    const refused = (await statuses(path)).filter(({ status }) => status === 429);
    expect({ path, refused: refused.length }).toEqual({ path, refused: 30 - 4 * PER_SECOND });
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toContain("1");
    expect(refused.map(({ headers }) => headers.get("connection"))).toContain("close");
    expect(await refused[0]?.json()).toMatchObject({ code: "rate_limited", instance: `/api/v1${path}` });
  }
  expect((await statuses("/devices", "wrong")).map(({ status }) => status)).toContain(429);
  for (const status of (await statuses("/health")).map((answer) => answer.status)) expect(status).toBe(200);
  const token = hub.adminToken;
  for (const status of (await statuses("/devices", token)).map((answer) => answer.status)) expect(status).toBe(200);

  const floods = async () => {
    const alerts = (await (await hub.request("GET", "/system/alerts", { token })).json()) as {
      kind: string;
      until: string | null;
      message: string;
    }[];
    return alerts.filter(({ kind, until: end }) => kind === "flood" && !end).map(({ message }) => message);
  };
  await clock.advance(10_000);
  expect(await floods()).toEqual([expect.stringContaining("127.0.0.1 reached the limit [server] max_anonymous")]);
  await clock.advance(12 * 60_000);
  expect(await floods()).toEqual([]);
});

test("bodies that do not come are few, and an address that keeps them waiting is refused", async () => {
  await using hub = await startTestHub();
  const port = Number(new URL(hub.api).port);
  const login = (length: number) =>
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
  using large = await openRawSocket(port);
  large.write(login(70_000));
  expect(await large.status()).toBe(413);
  using sockets = new DisposableStack();
  for (let count = 0; count < 32; count++) sockets.use(await openRawSocket(port)).write(login(60_000));
  await until("a further one is refused", async () => (await hub.request("GET", "/openapi.json")).status === 429);
  sockets[Symbol.dispose]();
  await until("the address may ask again", async () => (await hub.request("GET", "/openapi.json")).status === 200);
});

test("a pipeline with a token has an end as well", async () => {
  await using hub = await startTestHub({ server: "max_pipelined_requests = 30" });
  using socket = await openRawSocket(Number(new URL(hub.api).port));
  socket.write(
    `GET /api/v1/auth/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hub.adminToken}\r\n\r\n`.repeat(100),
  );
  await socket.closed();
  const statuses = [...socket.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
  expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => "200"));
  expect(statuses.at(-1)).toBe("429");
  await until("it is reported", async () => {
    const health = await (await hub.request("GET", "/health")).json();
    return (health as { degraded: string[] }).degraded.includes("flood");
  });
});
