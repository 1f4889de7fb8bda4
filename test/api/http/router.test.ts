// The route that is admitted is the route whose handler runs, however the request is written. Over raw sockets, since no real
// client sends such requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { createApp } from "../../../src/api/http/app.ts";
import { createCallers } from "../../../src/api/http/callers.ts";
import { createCors } from "../../../src/api/http/cors.ts";
import { doc } from "../../../src/api/http/doc.ts";
import { createRequestTurns } from "../../../src/api/http/listen/request-turns.ts";
import { isHost, isOwnHost, splitUrl } from "../../../src/api/http/request-url.ts";
import type { Answer } from "../../../src/api/http/resources.ts";
import { createRouter } from "../../../src/api/http/router.ts";
import { checkConfig } from "../../../src/app/config/load.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { SEED } from "../../support/campaign.ts";
import { NO_PLUGINS } from "../../support/no-plugins.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { ask, deal, head, inParallel, isUsable, OPEN, statusOf } from "./request-forms.ts";

const UNLIMITED = {
  turns: createRequestTurns({ maxPipelined: Number.POSITIVE_INFINITY, limits: { reached() {} } }),
  addressLimit: { refusal: () => undefined, answer: (_: unknown, __: unknown, run: () => Answer) => run() },
};
// All of these come from one address.
const AT_ANY_RATE = "max_anonymous_requests_per_second = 1000000";

describe("a hub", () => {
  let hub: TestHub;
  let port: number;
  let routes: { method: string; path: string; access: string }[];

  beforeAll(async () => {
    hub = await startTestHub({ server: AT_ANY_RATE });
    port = Number(new URL(hub.api).port);
    const { paths } = (await (await hub.request("GET", "/openapi.json")).json()) as {
      paths: Record<string, Record<string, { "x-access": string }>>;
    };
    routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, "nobody"),
        access: operation["x-access"],
      })),
    );
    routes.push({ method: "GET", path: "/api/v1/openapi.json", access: "public" });
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  test("answers 401 to callers without a token, however the request is written", async () => {
    const body = '{"username":"zed","password":"zed-password","role":"admin"}';
    const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const upgrade =
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    expect(routes.length).toBeGreaterThan(70);
    const cases = deal(routes);
    const wrong: string[] = [];
    let refused = 0;
    await inParallel(cases, async ([{ method, path, access }, { host, target, version }]) => {
      const more = path.endsWith("/stream") ? upgrade : method === "GET" ? "" : json;
      const text = head(method, target(path), version, host, more) + (more === json ? body : "");
      const status = statusOf(await ask(port, text));
      if (status >= 400 && status < 600 && status !== 500) refused++;
      else if (access !== "public" || !isUsable(host)) wrong.push(`${status}: ${JSON.stringify(text)}`);
    });
    expect({ SEED, wrong }).toEqual({ SEED, wrong: [] });
    expect(refused).toBeGreaterThan(cases.length * 0.9);
    expect(await (await hub.request("GET", "/auth/users", { token: hub.adminToken })).text()).not.toContain("zed");
  }, 120_000);

  test("refuses methods that a route does not have", async () => {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY", "get", "HACK"];
    const declared = (path: string, method: string): boolean =>
      routes.some((route) => route.path === path && route.method === method);
    const wrong: string[] = [];
    await inParallel(
      routes.flatMap(({ path }) =>
        methods.filter((method) => !declared(path, method)).map((method) => ({ path, method })),
      ),
      async ({ path, method }) => {
        const token = `Authorization: Bearer ${hub.adminToken}\r\n`;
        const status = statusOf(await ask(port, head(method, path, "1.1", "localhost", token)));
        // 0: Bun closes the connection for unknown methods. 404: /scenes/capture is also the scene with that id.
        if (![0, 400, 404, 405].includes(status)) wrong.push(`${method} ${path}: ${status}`);
      },
    );
    expect(wrong).toEqual([]);
  });

  test("accepts HTTP/1.0 without a Host, as load balancers send it", async () => {
    expect(statusOf(await ask(port, head("GET", OPEN, "1.0", undefined)))).toBe(200);
    expect(statusOf(await ask(port, head("HEAD", OPEN, "1.0", undefined)))).toBe(200);
    const token = `Authorization: Bearer ${hub.adminToken}\r\n`;
    const events = await ask(port, head("GET", "/api/v1/events?type=system_started&limit=1", "1.0", undefined, token));
    expect(events).toContain('"type":"system_started"');
    const history = await ask(
      port,
      head("POST", "/api/v1/webhooks/none?secret=x", "1.0", undefined, "Content-Length: 0\r\n"),
    );
    expect(statusOf(history)).toBe(404);
  });

  test("says what is wrong with an invalid path", async () => {
    for (const host of ["a{b", "", "localhost, localhost", "localhost:99999"]) {
      const answer = await ask(port, head("GET", OPEN, "1.1", host));
      expect({ host, status: statusOf(answer) }).toEqual({ host, status: 400 });
      expect(answer).toContain("the Host header is neither a name nor an address");
    }
    const token = `Authorization: Bearer ${hub.adminToken}\r\n`;
    for (const id of ["%ff", "%", "a%00b"]) {
      const answer = await ask(port, head("GET", `/api/v1/devices/${id}`, "1.1", "localhost", token));
      expect({ id, status: statusOf(answer) }).toEqual({ id, status: 400 });
    }
  });

  test("answers for the route that Bun matched, not for that of the normalized path", async () => {
    const token = `Authorization: Bearer ${await hub.tokenFor("viewer")}\r\n`;
    // Normalized, this is GET /api/v1/plugins/log, for viewers. What runs is the log of the plugin ".", for administrators.
    const answer = await ask(port, head("GET", "/api/v1/plugins/./log", "1.1", "localhost", token));
    expect(statusOf(answer)).toBe(403);
  });
});

test("a handler does not run for a request that was not admitted, however it is called", async () => {
  const ran: string[] = [];
  const callers = createCallers({
    auth: { identify: () => undefined, assertConfirmed() {}, isConfirmed: () => false },
    own: NO_PLUGINS,
    trustedProxies: [],
    corsOrigins: [],
    hosts: [],
    log: silentLog,
  });
  const app = new Elysia()
    .onTransform(({ request, route }) => void callers.assertAdmitted(request, route))
    .get("/one", () => void ran.push("/one"))
    .get("/two/:id", () => void ran.push("/two/:id"));
  const request = new Request("http://localhost/one");
  expect((await app.handle(request)).status).toBe(500);
  callers.admit(request, { path: "/two/:id", acts: false }, undefined);
  expect((await app.handle(request)).status).toBe(500);
  expect(ran).toEqual([]);
  callers.admit(request, { path: "/one", acts: false }, undefined);
  expect((await app.handle(request)).status).toBe(200);
  expect(ran).toEqual(["/one"]);
});

test("no handler of the hub runs for a request that did not come through the router", async () => {
  const { config } = checkConfig(`[auth]\njwt_secret = "${"x".repeat(48)}"`);
  if (!config) throw new Error("the configuration is not valid");
  const touched: string[] = [];
  const part = new Proxy(() => {}, {
    get: (_, key) => (typeof key === "string" ? part : undefined),
    apply: () => void touched.push("called"),
  }) as never;
  const app = createApp({
    ...{
      config: config.server,
      version: "0.0.0",
      machineName: "test",
      kept: undefined,
      clock: part,
      log: silentLog,
      auth: part,
      own: part,
      ring: part,
    },
    ...{ stream: part, registry: part, commands: part, virtual: part, history: part, areas: part, scenes: part },
    ...{
      variables: part,
      rules: part,
      notifier: part,
      outbox: part,
      messenger: part,
      people: part,
      held: part,
      settings: part,
      restart: part,
      plugins: part,
      pluginStorage: part,
      discovery: part,
      health: part,
      status: part,
      metrics: part,
      mcp: part,
      logFile: part,
    },
    ...{ backups: part, restores: part, mqttAccounts: part, alerts: part, audit: part, storageFault: part },
    limits: part,
    ...{ layouts: part, guests: part, pictures: part, calendars: part, exports: part, webPush: part },
    ...{ remote: part, visits: part, recoverySheet: part },
    ...{ configFile: part, restart: part, upgrades: part },
    ...{ secondMachine: part, standing: () => undefined, hasLease: false, pairingRestart: part, assertHub: part },
    ...{ layouts: part, guests: part, uploads: part, notices: part, attributeRenames: undefined as never, links: part },
  });
  const { api, besideTheApi } = app.declared();
  touched.length = 0;
  expect(api.routes.length).toBeGreaterThan(70);
  for (const declared of [api, besideTheApi]) {
    for (const { method, path } of declared.routes) {
      const body = method === "GET" ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
      const response = await declared.handle(
        new Request(`http://localhost${path.replace(/:\w+/g, "x")}`, { method, ...body }),
      );
      expect({ method, path, status: response.status }).toEqual({ method, path, status: 500 });
    }
  }
  expect(touched).toEqual([]);
});

test("the admitted route and the handler that ran are one, in every form of request", async () => {
  const log = silentLog;
  const callers = createCallers({
    auth: { identify: () => undefined, assertConfirmed() {}, isConfirmed: () => false },
    own: NO_PLUGINS,
    trustedProxies: [],
    corsOrigins: [],
    hosts: [],
    log,
  });
  const admitted = new WeakMap<Request, string>();
  const paths = ["/api/v1/health", "/api/v1/users", "/api/v1/users/:id", "/api/v1/users/:id/log", "/api/v1/users/me"];
  const app = new Elysia();
  for (const path of paths) {
    app.all(path, () => "never");
    for (const method of ["GET", "POST", "DELETE"] as const)
      app.route(
        method,
        path,
        ({ request }) => Response.json({ admitted: admitted.get(request), ran: `${method} ${path}` }),
        doc({ access: "public", summary: path, tag: "test" }) as object,
      );
  }
  const router = createRouter({
    apps: [app],
    callers: {
      ...callers,
      admit(request, route) {
        admitted.set(request, `${(route as { method?: string }).method} ${route.path}`);
      },
    },
    cors: createCors([]),
    headers: {},
    auditTrail: { started() {}, succeeded() {}, failed() {} },
    ...UNLIMITED,
    maxBodyBytes: 1024,
    publicPaths: [],
    isForGuests: () => false,
    refuse: () => new Response("refused", { status: 400 }),
  });
  using server = Bun.serve({
    ...router,
    port: 0,
    hostname: "127.0.0.1",
    development: false,
  } as Bun.Serve.Options<undefined>);
  const answered = new Set<string>();
  const routes = paths.flatMap((path) => ["GET", "POST", "DELETE"].map((method) => ({ method, path })));
  await inParallel(deal(routes), async ([{ method, path }, { host, target, version }]) => {
    const answer = await ask(server.port ?? 0, head(method, target(path), version, host));
    if (statusOf(answer) !== 200) return;
    const body = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)) as {
      admitted: string;
      ran: string;
    };
    expect({ SEED, ran: body.ran }).toEqual({ SEED, ran: body.admitted });
    answered.add(body.ran);
  });
  expect(answered.size).toBe(15);
});

test("hosts: which are valid, and which are the hub's own", () => {
  for (const host of [
    "pi",
    "pi:8080",
    "192.168.1.5",
    "[fd00::1]:8080",
    "a_b.example",
    "hub.local",
    "xn--bcher-kva.example",
  ])
    expect({ host, is: isHost(host) }).toEqual({ host, is: true });
  for (const host of [
    "",
    "a b",
    "a, b",
    "a{b",
    "[::1",
    "::1",
    "[nonsense]",
    "a:",
    "a:99999",
    "u@h",
    "h/x",
    "-a",
    ".a",
    "é",
  ])
    expect({ host, is: isHost(host) }).toEqual({ host, is: false });
  const names = new Set(["pi", "home.example"]);
  for (const host of [
    "localhost",
    "LOCALHOST:8080",
    "localhost.",
    "127.0.0.1:8080",
    "[::1]",
    "hub.local:80",
    "pi",
    "Home.Example:443",
  ])
    expect({ host, own: isOwnHost(host, names) }).toEqual({ host, own: true });
  for (const host of [
    "",
    "evil.example",
    "local",
    "hub.local.evil.example",
    "127.0.0.1.evil.example",
    "2130706433",
    "pi.evil.example",
  ])
    expect({ host, own: isOwnHost(host, names) }).toEqual({ host, own: false });
});

test("a URL is split where Bun wrote it, never after a :// that the client sent", () => {
  expect(splitUrl("http://h/a/b?c=://d/e")).toEqual({ path: "/a/b", query: "c=://d/e" });
  expect(splitUrl("/a/b?c=://d/e")).toEqual({ path: "/a/b", query: "c=://d/e" });
  expect(splitUrl("//d/e?f")).toEqual({ path: "//d/e", query: "f" });
  expect(splitUrl("https://h")).toEqual({ path: "/", query: "" });
});

test("the first request, which declares the routes, is answered as all later ones are", async () => {
  const log = silentLog;
  const callers = createCallers({
    auth: { identify: () => undefined, assertConfirmed() {}, isConfirmed: () => false },
    own: NO_PLUGINS,
    trustedProxies: [],
    corsOrigins: [],
    hosts: [],
    log,
  });
  const open = doc({ access: "public", summary: "a test", tag: "test" }) as object;
  const declare = (paths: readonly string[]) => {
    const app = new Elysia();
    for (const path of paths)
      app.route("GET", path, ({ params }) => Response.json({ ran: path, params: { ...params } }), open);
    return app;
  };
  const paths = ["/api/:id", "/api/me", "/api/:id/log", "/api/users/:key", "/api/:id/:key", "/:all/me/log"];
  const targets = [
    ...[
      "/api/1",
      "/api/1/",
      "/api/me",
      "/api/me/",
      "/api/m%65",
      "/%61pi/1",
      "/api/",
      "/api",
      "/api//",
      "/api//log",
      "/",
    ],
    ...[
      "/api/%41?x=%42",
      "/api/%zz",
      "/api/%4",
      "/api/100%25",
      "/api/%00x",
      "/api/%E2%82%AC",
      "/api/%E2%82",
      "/api/a%2Fb",
    ],
    ...[
      "/api/a+b",
      "/api/users/log",
      "/api/users/x",
      "/api/x/log",
      "/api/x/y",
      "/api/me/log",
      "/x/me/log",
      "/health",
      "/api/1/2/3",
    ],
  ];
  for (const target of targets) {
    let declarations = 0;
    const router = createRouter({
      apps: [declare(["/health"])],
      whole() {
        declarations++;
        return [declare(["/health", ...paths])];
      },
      ...{ callers, cors: createCors([]), headers: {}, maxBodyBytes: 1024, publicPaths: [] },
      auditTrail: { started() {}, succeeded() {}, failed() {} },
      ...UNLIMITED,
      isForGuests: () => false,
      refuse: (error) => Response.json({ refused: String(error) }, { status: 400 }),
    });
    const options = () =>
      ({ routes: router.routes, fetch: router.fetch, port: 0, hostname: "127.0.0.1", development: false }) as const;
    using server = Bun.serve(options() as Bun.Serve.Options<undefined>);
    router.onDeclared(() => server.reload(options() as Bun.Serve.Options<undefined>));
    const get = async () => {
      const answer = await ask(server.port ?? 0, head("GET", target, "1.1", "localhost"));
      return { status: statusOf(answer), body: answer.slice(answer.indexOf("{")) };
    };
    const first = await get();
    const second = await get();
    expect({ target, ...first }).toEqual({ target, ...second });
    expect(declarations).toBe(target === "/health" ? 0 : 1);
  }
});
