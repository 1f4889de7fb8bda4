// Run for every route there is, whoever adds one: closed without a token, closed to a lesser role, described.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  responses?: Record<string, unknown>;
  "x-access": "admin" | "user" | "viewer" | "public" | "key";
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

  test("answers a bad token with why", async () => {
    for (const route of routes.filter(({ operation }) => operation["x-access"] !== "public")) {
      const response = await call(route, "not.a.token");
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(await response.text()).not.toContain("not.a.token");
    }
  });
});
