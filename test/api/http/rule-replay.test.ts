// POST /rules/:id/replay as clients see it. What a replay finds is tested in test/rules/replay.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { ruleReplayRoutes } from "../../../src/api/http/routes/rule-replay.ts";
import { messageOf } from "../../../src/kit/schema/errors.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import type { RunningReplay, Trials } from "../../../src/rules/replay/trials.ts";
import { runScenarios } from "../../support/scenarios.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

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

const token = (): string => hub.adminToken;
const ask = async (method: string, at: string, body?: unknown): Promise<{ status: number; body: object }> => {
  const answer = await hub.request(method, at, { token: token(), ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: answer.status === 204 ? {} : ((await answer.json()) as object) };
};

test("a rule that is not saved, and one that is, by its id", async () => {
  const text =
    'name = "x"\n[trigger]\ntype = "time_of_day"\ntime = "08:00"\n[[actions]]\ntype = "log_message"\nmessage = "x"';
  expect(await ask("POST", "/rules/replay", { text })).toMatchObject({
    status: 200,
    body: { rule_id: null, evaluations: 7 },
  });
  const { id: _, ...unsaved } = rule;
  expect(await ask("POST", "/rules/replay", { rule: unsaved })).toMatchObject({
    status: 200,
    body: { evaluations: 7 },
  });
  expect(await ask("POST", "/rules/replay", { id: ID })).toMatchObject({ status: 200, body: { rule_id: ID } });
  expect(await ask("POST", "/rules/replay", { id: ID, text })).toMatchObject({ status: 400 });
  expect(await ask("POST", "/rules/replay", { text: "name = 1" })).toMatchObject({ status: 400 });
});

test("those that run are listed and cancelled by their callers", async () => {
  const running: RunningReplay[] = ["user/ann", "user/ben"].map((caller) => ({
    ...{ id: caller.slice(5), ruleId: ID, caller, from: 0, to: 1000, startedAt: 2000 },
    ...{ at: 250, samples: 7, evaluations: 3 },
  }));
  const cancelled: string[] = [];
  const trials = { running: () => running, cancel: (id: string) => void cancelled.push(id) } as unknown as Trials;
  const history = { zone: createZone("UTC"), query: async () => ({ text: "[]", next: undefined }) };
  const callers = {
    of: ({ headers }: Request) => ({ kind: "user", id: headers.get("x-user"), role: headers.get("x-role") ?? "user" }),
  };
  const app = new Elysia()
    .onError(({ error }) => new Response(messageOf(error), { status: 404 }))
    .use(ruleReplayRoutes({ rules: { trials }, history, clock: systemClock, callers: callers as never }));
  const request = (method: string, at: string, user: string, role = "user"): Promise<Response> =>
    app.handle(new Request(`http://localhost/rules${at}`, { method, headers: { "x-user": user, "x-role": role } }));

  expect(await (await request("GET", "/replay", "ann")).json()).toEqual([
    {
      ...{ id: "ann", rule_id: ID, from: "1970-01-01T00:00:00.000Z", to: "1970-01-01T00:00:01.000Z" },
      ...{ at: "1970-01-01T00:00:00.250Z", progress: 0.25, samples: 7, evaluations: 3 },
      started_at: "1970-01-01T00:00:02.000Z",
    },
  ]);
  expect(await (await request("GET", "/replay", "eve", "admin")).json()).toHaveLength(2);
  expect((await request("DELETE", "/replay/ben", "ann")).status).toBe(404);
  expect((await request("DELETE", "/replay/ben", "ben")).status).toBe(204);
  expect((await request("DELETE", "/replay/ann", "eve", "admin")).status).toBe(204);
  expect(cancelled).toEqual(["ben", "ann"]);
});
