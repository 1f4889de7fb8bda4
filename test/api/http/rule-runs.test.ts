// What a rule is waiting for, and cancelling that, as clients see it.
// Over 10 s: a call that starts a run which waits is answered after two seconds, again and again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios, runSteps } from "../../support/scenarios.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

const rule = {
  name: "Slow",
  run_mode: "queued",
  actions: [
    {
      type: "parallel",
      actions: [
        { type: "delay", duration_secs: 600, key: "light" },
        {
          type: "conditional",
          condition: "true",
          then_actions: [
            { type: "comment", text: "first" },
            { type: "wait_for_expression", expression: "current_hour() > 24 || 'a' == 'hunter2'", timeout_secs: 60 },
          ],
        },
        { type: "wait_for_event", event_type: "custom_bell", timeout_secs: 30 },
      ],
    },
  ],
};

interface RunBody {
  id: string;
  state: string;
  started_at: string;
  waits: { action: string; path: string; for: string; since: string; until: string }[];
}

const folder = createTemporaryFolder();
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ folder });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask<T>(method: string, at: string, body?: unknown, token = hub.adminToken): Promise<T> {
  const response = await hub.request(method, at, { token, ...(body === undefined ? {} : { body }) });
  return (await response.json()) as T;
}

/** A rule of its own for each test: its path. */
async function made(): Promise<string> {
  return `/rules/${(await ask<{ id: string }>("POST", "/rules", rule)).id}`;
}

/** Its first run waits, the second is queued. */
async function begun(): Promise<string> {
  const path = await made();
  for (let run = 0; run < 2; run++)
    expect((await hub.request("POST", `${path}/run`, { token: hub.adminToken })).status).toBe(202);
  return path;
}

describe("runs", () => {
  runScenarios(
    () => hub,
    [{ name: "of a rule that there is not", path: "/rules/nobody/runs", as: "viewer", status: 404 }],
  );

  test("none yet", async () => expect(await ask<RunBody[]>("GET", `${await made()}/runs`)).toEqual([]));

  test("are listed without what is secret for a viewer, who cancels none", async () => {
    const path = await begun();
    await runSteps(hub, [
      { name: "unknown", method: "DELETE", path: `${path}/runs/nobody`, status: 404, contains: ["no run"] },
      { name: "not by a viewer", method: "DELETE", path: `${path}/runs/nobody`, as: "viewer", status: 403 },
      {
        name: "without what is secret for a viewer",
        path: `${path}/runs`,
        as: "viewer",
        status: 200,
        contains: ['"state":"waiting"', '"state":"queued"', '"key":"light"'],
      },
    ]);
  });

  test("say where in the rule they wait, for what and until when", async () => {
    const path = await begun();
    const [run, queued] = await ask<RunBody[]>("GET", `${path}/runs`);
    expect(run).toMatchObject({
      rule_id: path.slice("/rules/".length),
      trigger: { type: "manual_trigger" },
      state: "waiting",
    });
    expect(run?.waits.map(({ action, path, for: what }) => [action, path, what])).toEqual([
      ["delay", "actions[0].actions[0]", "delay"],
      ["wait_for_expression", "actions[0].actions[1].then_actions[1]", "current_hour() > 24 || 'a' == 'hunter2'"],
      ["wait_for_event", "actions[0].actions[2]", "custom_bell"],
    ]);
    const [delay] = run?.waits ?? [];
    expect(Date.parse(delay?.until ?? "") - Date.parse(delay?.since ?? "")).toBe(600_000);
    expect(queued).toMatchObject({ state: "queued", waits: [] });
  });

  test("can be cancelled, which the trace says, and the queued one begins", async () => {
    const path = await begun();
    const [run, queued] = await ask<RunBody[]>("GET", `${path}/runs`);
    const cancelled = await hub.request("DELETE", `${path}/runs/${run?.id}`, { token: hub.adminToken });
    expect(cancelled.status).toBe(204);
    const [next] = await ask<RunBody[]>("GET", `${path}/runs`);
    expect(next).toMatchObject({ id: queued?.id, state: "waiting" });
    const traces = await ask<{ id: string; why: string }[]>("GET", `${path}/traces`);
    expect(traces.find(({ id }) => id === run?.id)?.why).toEndWith("; cancelled by admin");
  });
});
