// POST /rules/:id/replay as clients see it. What a replay finds is tested in test/rules/replay.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { systemClock } from "../../src/core/clock.ts";
import { messageOf } from "../../src/core/errors.ts";
import { createZone } from "../../src/core/zone.ts";
import { ruleReplayRoutes } from "../../src/http/routes/rule-replay.ts";
import { runScenarios } from "../support/scenarios.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const path = `/rules/${ID}/replay`;
const rule = {
  id: ID,
  name: "Every noon",
  trigger: { type: "time_of_day", time: "12:00" },
  conditions: [{ type: "time_window", start: "00:00", end: "24:00", days: ["mon", "tue", "wed", "thu", "fri"] }],
  actions: [{ type: "log_message", message: "noon" }],
};

const folder = createTemporaryFolder();
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ folder });
  await hub.request("POST", "/rules", { token: hub.adminToken, body: rule });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

runScenarios(
  () => hub,
  [
    {
      name: "the last week, where no period is given",
      method: "POST",
      path,
      as: "user",
      status: 200,
      contains: [`"rule_id":"${ID}"`, '"evaluations":7', '"trigger":{"type":"time_of_day"', '"count":2', "00:00–24:00"],
    },
    { name: "not for viewers", method: "POST", path, as: "viewer", status: 403 },
    { name: "of a rule that is not there", method: "POST", path: "/rules/none/replay", status: 404 },
    {
      name: "31 days at most",
      method: "POST",
      path,
      body: { from: "2025-01-01", to: "2025-02-01T01:00:01" },
      status: 400,
      contains: ["must be 31 days before to at most"],
    },
    {
      name: "31 days, also where the clocks are put back in them",
      method: "POST",
      path,
      body: { from: "2025-10-01T00:00:00+02:00", to: "2025-11-01T00:00:00+01:00" },
      status: 200,
      contains: ['"evaluations":31'],
    },
    {
      name: "not of the future",
      method: "POST",
      path,
      body: { from: "2100-01-01" },
      status: 400,
      contains: ["must be in the past"],
    },
    { name: "not of no time", method: "POST", path, body: { from: "monday" }, status: 400, contains: ["from"] },
    { name: "nothing else", method: "POST", path, body: { of: 1 }, status: 400 },
  ],
);

test("one at a time for each caller, and it ends when the caller goes", async () => {
  const waiting: { signal: AbortSignal; resolve: (replay: never) => void }[] = [];
  const replay = (_: string, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((resolve) => waiting.push({ signal, resolve }));
  const history = { zone: createZone("UTC"), query: async () => ({ text: "[]", next: undefined }) };
  const callers = { of: ({ headers }: Request) => ({ kind: "user", id: headers.get("x-user"), role: "user" }) };
  const app = new Elysia()
    .onError(({ error }) => new Response(messageOf(error), { status: 409 }))
    .use(ruleReplayRoutes({ rules: { replay }, history, clock: systemClock, callers: callers as never }));
  const ask = (user: string, signal: AbortSignal | null = null): Promise<Response> =>
    app.handle(new Request(`http://localhost${path}`, { method: "POST", headers: { "x-user": user }, signal }));
  const leaving = new AbortController();

  const first = ask("ann", leaving.signal);
  await until("a replay runs", () => waiting.length === 1);
  expect(await (await ask("ann")).text()).toBe("your last replay is not over yet: wait for it");
  const other = ask("ben");
  await until("a replay runs", () => waiting.length === 2);
  leaving.abort();
  expect(waiting.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  const nothing = { until: 0, firings: [], omittedFirings: 0, misses: [], unknown: [], samples: 0, evaluations: 0 };
  for (const { resolve } of waiting) resolve(nothing as never);
  expect([(await first).status, (await other).status]).toEqual([200, 200]);
  const again = ask("ann");
  await until("a replay runs", () => waiting.length === 3);
  waiting[2]?.resolve(nothing as never);
  expect((await again).status).toBe(200);
});
