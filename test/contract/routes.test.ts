// Run for every route there is, whoever adds one: closed without a token, closed to a lesser role, described.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  responses?: Record<string, unknown>;
  "x-access": "admin" | "user" | "viewer" | "public" | "key";
  "x-audit"?: string;
}

// The contract's table and the ones it leaves open to all.
const CONTRACT_PUBLIC = ["GET /api/v1/health", "POST /api/v1/auth/login"];
const DOCUMENT = "GET /api/v1/openapi.json";
// Whoever calls a webhook cannot log in: the secret of the rule stands in for it.
const WEBHOOKS = ["GET", "POST", "PUT"].map((method) => `${method} /api/v1/webhooks/{path}`);
// The signature of the link stands in for a login.
const LINKS = ["GET", "POST"].map((method) => `${method} /api/v1/notify/links/{token}`);
const PUBLIC = [...CONTRACT_PUBLIC, DOCUMENT, ...WEBHOOKS, ...LINKS];
const CONTRACT = [
  ...CONTRACT_PUBLIC,
  "POST /api/v1/notify/test",
  "GET /api/v1/events",
  "GET /api/v1/events/stream",
  "POST /api/v1/system/backup",
  "GET /api/v1/system/status",
  "GET /api/v1/plugins",
];

const NOT_LOGGED = [
  // Logged where they are handled, with what a route cannot know.
  ...["POST /auth/login", "POST /notify/links/{token}", "POST /standby/sync", "POST /standby/history"],
  ...["POST /standby/leftovers", "POST /standby/hand-over", "POST /auth/confirm"],
  // They change nothing.
  "POST /standby/confirm",
  ...["POST /rules/check", "POST /rules/compose", "POST /rules/{id}/test", "POST /rules/{id}/replay"],
  ...["POST /rules/replay", "DELETE /rules/replay/{replay}", "POST /system/config/check", "POST /system/config/edit"],
  "POST /system/backups/look",
  // The caller's own: a token, the look of the page, a browser.
  ...["POST /auth/renew", "PUT /ui/layout", "DELETE /ui/layout"],
  ...["POST /notify/web-push/subscriptions", "DELETE /notify/web-push/subscriptions"],
  // Events of their own say what happened.
  ...["POST /webhooks/{path}", "PUT /webhooks/{path}", "POST /notify/test", "POST /notify/outbox/{id}/retry"],
  // What is kept stays what it is.
  ...["POST /history/exports/{name}/backfill", "POST /calendars/{id}/refresh", "PUT /plugins/{id}/storage"],
];

let hub: TestHub;
let routes: { name: string; method: string; path: string; operation: Operation }[] = [];

beforeAll(async () => {
  hub = await startTestHub();
  const document = (await (await hub.request("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
});
afterAll(() => hub[Symbol.asyncDispose]());

const call = (route: { method: string; path: string }, token?: string): Promise<Response> =>
  hub.request(route.method, route.path.replace("/api/v1", "").replace(/\{\w+\}/g, "nobody"), token ? { token } : {});

describe("every route", () => {
  test("of the contract is there", () => {
    const names = routes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(CONTRACT));
  });

  test("says who may call it, what it does and what it answers", () => {
    for (const { name, operation } of routes) {
      expect({ name, access: operation["x-access"] }).toEqual({
        name,
        access: expect.stringMatching(/^(admin|user|viewer|public|key)$/),
      });
      expect({ name, summary: operation.summary, tags: operation.tags }).toEqual({
        name,
        summary: expect.any(String),
        tags: [expect.any(String)],
      });
      expect(Object.keys(operation.responses ?? {})).not.toEqual([]);
    }
  });

  test("is closed without a token, unless the contract opens it", async () => {
    expect(
      routes
        .filter(({ operation }) => operation["x-access"] === "public")
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...PUBLIC].sort());
    for (const route of routes.filter(({ operation }) => operation["x-access"] !== "public")) {
      const response = await call(route);
      expect({ name: route.name, status: response.status }).toEqual({ name: route.name, status: 401 });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("is closed to a role below its own", async () => {
    const below = { user: await hub.tokenFor("viewer"), admin: await hub.tokenFor("user") };
    for (const route of routes) {
      const access = route.operation["x-access"];
      if (access !== "user" && access !== "admin") continue;
      expect({ name: route.name, status: (await call(route, below[access])).status }).toEqual({
        name: route.name,
        status: 403,
      });
    }
  });

  test("refuses a key that is twice in the query, but for webhooks, whose callers choose them", async () => {
    const answers = await Promise.all(
      routes
        .filter(({ name, operation }) => !PUBLIC.includes(name) && operation["x-access"] !== "public")
        // These look themselves who asks, and refuse that first.
        .filter(({ name, operation }) => operation["x-access"] !== "key" && !/\/standby(?:\/hand-over)?$/.test(name))
        .map(async ({ name, method, path }) => {
          const asked = { method, path: `${path}?limit=1&type=a&t%79pe=b` };
          const answer = await call(asked, hub.adminToken);
          return { name, status: answer.status, text: await answer.text() };
        }),
    );
    for (const { name, status, text } of answers)
      expect({ name, status, text }).toEqual({
        name,
        status: 400,
        text: expect.stringContaining("type: is in the query more than once"),
      });
  });

  test("that changes something is in the audit log, or changes nothing that anybody would ask for", () => {
    const silent = routes.filter(({ method, operation }) => method !== "GET" && operation["x-audit"] === undefined);
    expect(silent.map(({ name }) => name.replace("/api/v1", "")).toSorted()).toEqual(NOT_LOGGED.toSorted());
  });

  test("answers a bad token with why", async () => {
    for (const route of routes.filter(({ operation }) => operation["x-access"] !== "public")) {
      const response = await call(route, "not.a.token");
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(await response.text()).not.toContain("not.a.token");
    }
  });
});
