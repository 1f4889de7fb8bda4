// Rules and webhooks as clients see them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios, runSteps } from "../../support/scenarios.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const SECRET = "a-secret-of-24-characters";

/** A doorbell. Each test makes its own, with webhook and variables that are nobody else's. */
const doorbell = (key: string) => ({
  id: `rule-${key}`,
  name: `Doorbell ${key}`,
  cooldown_secs: 0,
  tags: [key],
  trigger: { type: "webhook_received", path: key, secret: SECRET },
  conditions: [{ type: "hub_variable", name: `guests_${key}`, op: "Eq", value: true }],
  actions: [
    { type: "set_hub_variable", name: `rung_${key}`, expression: "trigger.body.presses" },
    { type: "log_message", message: "🔔 21 °C" },
  ],
});
/** The one that the rows only read. */
const read = "/rules/rule-read";

const folder = createTemporaryFolder();
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ folder });
  await made("read");
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function nested(levels: number): object {
  return levels === 0 ? { type: "comment", text: "x" } : { type: "parallel", actions: [nested(levels - 1)] };
}

async function json<T = Record<string, unknown>>(method: string, at: string, body?: unknown): Promise<T> {
  const response = await hub.request(method, at, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  return (await response.json()) as T;
}

/** The path of a doorbell that was made. */
async function made(key: string): Promise<string> {
  const response = await hub.request("POST", "/rules", { token: hub.adminToken, body: doorbell(key) });
  if (response.status !== 201) throw new Error(`the rule ${key}: ${response.status} ${await response.text()}`);
  return `/rules/rule-${key}`;
}

describe("making, reading and changing", () => {
  runScenarios(
    () => hub,
    [
      { name: "not by a user", method: "POST", path: "/rules", as: "user", body: doorbell("users"), status: 403 },
      {
        name: "with all its problems",
        method: "POST",
        path: "/rules",
        body: { name: "X", trigger: { type: "crn" }, actoins: [] },
        status: 400,
        contains: ['"path":"trigger.type"', '"path":"actoins"', "did you mean"],
      },
      {
        name: "deeper than other bodies may be",
        method: "POST",
        path: "/rules",
        body: { name: "Nested", enabled: false, actions: [nested(100)] },
        status: 201,
      },
      { name: "too deep", method: "POST", path: "/rules", body: { name: "N", actions: [nested(150)] }, status: 400 },
      { name: "that is not JSON", method: "POST", path: "/rules", body: "{", status: 400, contains: ["JSON"] },
      { name: "that is not an object", method: "POST", path: "/rules", body: [doorbell("listed")], status: 400 },
      {
        name: "listed",
        path: "/rules?tag=read&state=enabled",
        as: "viewer",
        status: 200,
        contains: ['"trigger_types":["webhook_received"]', '"fire_count":0', '"last_fired_at":null', '"warnings":[]'],
        lacks: [SECRET, '"error"'],
      },
      {
        name: "listed with what they say",
        path: "/rules?tag=read&with=rule",
        as: "viewer",
        status: 200,
        contains: ['"rule":{', '"secret":"•••"'],
        lacks: [SECRET],
      },
      {
        name: "a text is checked",
        method: "POST",
        path: "/rules/check",
        body: { text: '(name: "Lamp", actions: [SetDeviceState(device_id: "lamp", state: (on: true))])' },
        status: 200,
        contains: ['"format":"ron"', '"problems":[]', '"name":"Lamp"', '"id":""', 'there is no device \\"lamp\\"'],
      },
      {
        name: "its problems have places",
        method: "POST",
        path: "/rules/check",
        body: { text: 'name = "Lamp"\n[trigger]\ntype = "crn"' },
        status: 200,
        contains: ['"format":"toml"', '"line":3', '"path":"trigger.type"', '"rule":null'],
      },
      {
        name: "in the language of its file",
        method: "POST",
        path: "/rules/check",
        body: { text: 'name = "Lamp"', id: "rule-read" },
        status: 200,
        contains: ["rename it to doorbell_read.toml"],
      },
      { name: "not by a user", method: "POST", path: "/rules/check", as: "user", body: { text: "" }, status: 403 },
      { name: "of another tag", path: "/rules?tag=window", status: 200, contains: ["[]"] },
      { name: "of another state", path: "/rules?state=broken", status: 200, contains: ["[]"] },
      { name: "of a device that none names", path: "/rules?device_id=nobody", status: 200, contains: ["[]"] },
      { name: "of an unknown state", path: "/rules?state=asleep", status: 400, contains: ["state"] },
      {
        name: "its secret is not for viewers",
        path: read,
        as: "viewer",
        status: 200,
        contains: ['"secret":"•••"', '"rule":{'],
        lacks: [SECRET],
      },
      { name: "nor for users", path: read, as: "user", status: 200, lacks: [SECRET] },
      { name: "nor the text", path: `${read}/text`, as: "user", status: 403, lacks: [SECRET] },
      { name: "for administrators they are", path: read, status: 200, contains: [SECRET] },
      { name: "an unknown one", path: "/rules/nobody", status: 404, contains: ["nobody"] },
      { name: "a user does not run it", method: "POST", path: `${read}/run`, as: "user", status: 403 },
      { name: "but may test it", method: "POST", path: `${read}/test`, as: "user", status: 200 },
      {
        name: "but not with a made-up context",
        method: "POST",
        path: `${read}/test`,
        as: "user",
        body: { trigger: { context: { body: "1234" } } },
        status: 403,
        contains: ["making up a context"],
      },
      {
        name: "nor in a made-up house",
        method: "POST",
        path: `${read}/test`,
        as: "user",
        body: { variables: { guests: true } },
        status: 403,
        contains: ["making up variables needs the role admin"],
      },
      {
        name: "but at another moment",
        method: "POST",
        path: `${read}/test`,
        as: "user",
        body: { at: "2026-12-24T20:00:00Z", trigger: { index: 0 } },
        status: 200,
        contains: ['"at":"2026-12-24T20:00:00.000Z"', '"unknown":[]'],
      },
      {
        name: "not with a moment that is none",
        method: "POST",
        path: `${read}/test`,
        body: { at: "tonight" },
        status: 400,
        contains: ['"path":"at"'],
      },
      {
        name: "not for a trigger that is not there",
        method: "POST",
        path: `${read}/test`,
        body: { trigger: { index: 7 } },
        status: 404,
        contains: ["there is no trigger 7"],
      },
      {
        name: "not with a device that is not there",
        method: "POST",
        path: `${read}/test`,
        body: { devices: { dor: { open: true } } },
        status: 404,
        contains: ['there is no device \\"dor\\"'],
      },
      { name: "nor pauses it", method: "POST", path: `${read}/pause`, as: "user", status: 403 },
      { name: "nor resumes it", method: "POST", path: `${read}/resume`, as: "user", status: 403 },
      { name: "nor names it", method: "PATCH", path: read, as: "user", body: { name: "Y" }, status: 403 },
      { name: "nothing is no change", method: "PATCH", path: read, body: {}, status: 400 },
      {
        name: "an unknown key",
        method: "PATCH",
        path: read,
        body: { actions: [] },
        status: 400,
        contains: ["actions"],
      },
      {
        name: "out of range",
        method: "PATCH",
        path: read,
        body: { cooldown_secs: -1 },
        status: 400,
        contains: ['"path":"cooldown_secs"'],
      },
      { name: "the vocabulary", path: "/rules/vocabulary", as: "viewer", status: 200, contains: ["webhook_received"] },
      {
        name: "a user may not disable it",
        method: "PATCH",
        path: read,
        as: "user",
        body: { enabled: false },
        status: 403,
        contains: ["admin"],
      },
    ],
  );

  test("one is made, disabled, named, replaced, paused and resumed", async () => {
    const path = "/rules/rule-own";
    await runSteps(hub, [
      {
        name: "one is made",
        method: "POST",
        path: "/rules",
        body: doorbell("own"),
        status: 201,
        contains: ['"id":"rule-own"', '"state":"enabled"', '"file":"doorbell_own.ron"', '"format":"ron"', SECRET],
      },
      {
        name: "not twice",
        method: "POST",
        path: "/rules",
        body: doorbell("own"),
        status: 409,
        contains: ["doorbell_own.ron"],
      },
      {
        name: "an administrator does",
        method: "PATCH",
        path,
        body: { enabled: false },
        status: 200,
        contains: ['"state":"disabled"', '"enabled":false'],
      },
      { name: "an administrator may", method: "PATCH", path, body: { name: "Bell", enabled: true }, status: 200 },
      {
        name: "replaced",
        method: "PUT",
        path,
        body: { ...doorbell("own"), priority: 3 },
        status: 200,
        contains: ['"priority":3', '"name":"Doorbell own"'],
      },
      { name: "paused", method: "POST", path: `${path}/pause`, body: { duration_secs: 60 }, status: 200 },
      { name: "is listed", path: "/rules?state=paused", status: 200, contains: ['"paused_until":"2', "rule-own"] },
      { name: "resumed", method: "POST", path: `${path}/resume`, status: 200, contains: ['"enabled"'] },
    ]);
  });

  test("one about a device is found by it", () =>
    runSteps(hub, [
      {
        name: "one about a device",
        method: "POST",
        path: "/rules",
        body: {
          name: "Hall",
          enabled: false,
          trigger: { type: "device_state_changed", device_id: "hall_lamp", attribute: "on" },
          actions: [{ type: "log_message", message: "on" }],
        },
        status: 201,
      },
      {
        name: "found by its device",
        path: "/rules?device_id=hall_lamp",
        as: "viewer",
        status: 200,
        contains: ['"name":"Hall"'],
        lacks: ["Doorbell"],
      },
    ]));
});

describe("its text", () => {
  const text = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    hub.request("PUT", `${path}/text`, {
      token: hub.adminToken,
      body,
      headers: { "content-type": "text/plain", ...headers },
    });

  test("is edited as it is, unless it was changed meanwhile", async () => {
    const path = await made("edited");
    const read = await hub.request("GET", `${path}/text`, { token: hub.adminToken });
    const original = await read.text();
    const etag = read.headers.get("etag") ?? "";
    expect(read.headers.get("content-type")).toContain("text/plain");
    expect(original).toContain('name: "Doorbell edited"');
    const edited = `// Klingel 🔔\n${original.replace("Doorbell edited", "Doorbell °")}`;
    const put = await text(path, edited, { "if-match": etag });
    expect(put.status).toBe(200);
    expect(((await put.json()) as { name: string }).name).toBe("Doorbell °");
    const again = await hub.request("GET", `${path}/text`, { token: hub.adminToken });
    expect(await again.text()).toBe(edited);
    expect(again.headers.get("etag")).toBe(put.headers.get("etag") as string);
    const late = await text(path, original, { "if-match": etag });
    expect(late.status).toBe(409);
    expect(late.headers.get("content-type")).toContain("problem+json");
    expect(((await late.json()) as { detail: string }).detail).toContain("changed meanwhile");
  });

  test("is refused with line, column and frame, and the rule keeps running", async () => {
    const path = await made("kept");
    const refused = await text(path, "(\n  name: Kitchen oven,\n)");
    const { status, problems } = (await refused.json()) as { status: number; problems: Record<string, unknown>[] };
    expect(status).toBe(400);
    expect(problems[0]).toMatchObject({ line: 2 });
    expect(String(problems[0]?.frame)).toContain("> 2 |");
    expect((await json("GET", path)).state).toBe("enabled");
  });

  test("has its limits", async () => {
    expect((await text(read, `// ${"x".repeat(1024 * 1024)}`)).status).toBe(413);
    const latin = await fetch(`${hub.api}${read}/text`, {
      method: "PUT",
      headers: { authorization: `Bearer ${hub.adminToken}`, "content-type": "text/plain" },
      body: new Uint8Array([0x28, 0xfc, 0x29]),
    });
    expect(latin.status).toBe(400);
    expect(await latin.text()).toContain("UTF-8");
  });
});

describe("webhooks", () => {
  const call = (at: string, options: Parameters<TestHub["request"]>[2] = {}, method = "POST"): Promise<Response> =>
    hub.request(method, `/webhooks/${at}`, options);

  test("the secret is enough, without a login, and a trace says why the rule did nothing", async () => {
    const path = await made("enough");
    const before = await call("enough", { body: { presses: 2 }, headers: { "x-webhook-secret": SECRET } });
    expect({ status: before.status, body: await before.json() }).toEqual({ status: 202, body: { accepted: true } });
    const [trace] = await json<Record<string, unknown>[]>("GET", `${path}/traces`);
    expect(trace).toMatchObject({ outcome: "conditions_failed", rule_id: "rule-enough" });
    expect(String(trace?.why)).toBe('there is no variable "guests_enough"; wanted: variable guests_enough is true');
    await json("PUT", "/variables/guests_enough", { value: true });
    await call("enough", { body: { presses: 2 }, headers: { "x-webhook-secret": SECRET } });
    expect(await json("GET", "/variables/rung_enough")).toMatchObject({ value: 2 });
    await call(`enough?secret=${SECRET}&presses=3`, {}, "GET");
    const traces = await json<{ trigger: { context: object } }[]>("GET", `${path}/traces`);
    expect(traces[0]?.trigger.context).toEqual({ path: "enough", method: "GET", query: { presses: "3" }, body: null });
  });

  test("a key that the caller repeats has all its values", async () => {
    const path = await made("repeated");
    await call(`repeated?tag=a&tag=b,c&secret=${SECRET}`, {}, "GET");
    const [trace] = await json<{ trigger: { context: { query: object } } }[]>("GET", `${path}/traces`);
    expect(trace?.trigger.context.query).toEqual({ tag: "a,b,c" });
  });

  test("a wrong secret, none, and a wrong path have the same answer", async () => {
    await made("guarded");
    const answers = await Promise.all([
      call("guarded", { headers: { "x-webhook-secret": "wrong" } }),
      call("guarded"),
      call("nothing", { headers: { "x-webhook-secret": SECRET } }),
    ]);
    const texts = await Promise.all(
      answers.map(async (answer) => ({ status: answer.status, text: await answer.text() })),
    );
    expect(texts.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(texts.map(({ text }) => text.replaceAll("/nothing", "/guarded"))).size).toBe(1);
  });

  test("text, large and broken bodies", async () => {
    const path = await made("bodies");
    const headers = { "x-webhook-secret": SECRET };
    expect(
      (await call("bodies", { headers: { ...headers, "content-type": "text/plain" }, body: "ding °" })).status,
    ).toBe(202);
    expect(
      (await json<{ trigger: { context: { body: unknown } } }[]>("GET", `${path}/traces`))[0]?.trigger.context.body,
    ).toBe("ding °");
    expect((await call("bodies", { headers, body: "x".repeat(65_537) })).status).toBe(413);
    expect((await call("bodies", { headers, body: `{"a":${"[".repeat(5000)}` })).status).toBe(202);
    expect((await call("bodies", { headers, body: '{"__proto__":{"x":1}}' })).status).toBe(202);
    expect((await call("bodies", { headers }, "DELETE")).status).toBe(405);
  });

  test("the secret is in no answer", async () => {
    const path = await made("silent");
    expect((await call("silent", { headers: { "x-webhook-secret": SECRET } })).status).toBe(202);
    const events = await (await hub.request("GET", "/events?limit=1000", { token: hub.adminToken })).text();
    expect(events).toContain('"type":"webhook_received"');
    for (const at of ["/rules", `${path}/traces`, "/events?limit=1000"]) {
      const text = await (await hub.request("GET", at, { token: hub.adminToken })).text();
      expect(text).not.toContain(SECRET);
    }
    expect(hub.platform.stdout.text).not.toContain(SECRET);
  });

  test("a disabled rule is not called", async () => {
    const path = await made("disabled");
    await json("PATCH", path, { enabled: false });
    expect((await call("disabled", { headers: { "x-webhook-secret": SECRET } })).status).toBe(404);
    await json("PATCH", path, { enabled: true });
    expect((await call("disabled", { headers: { "x-webhook-secret": SECRET } })).status).toBe(202);
  });
});

test("likely mistakes are warnings in the list and of the rule, with their places", async () => {
  const text = `(id: "slips", name: "Slips", trigger: CustomEvent(event_type: "x"),
  actions: [Notify(channel: "log", message: "{{trigger.sorce}}")])`;
  await json("POST", "/rules", { id: "slips", name: "Slips", actions: [{ type: "comment", text: "x" }] });
  const headers = { "content-type": "text/plain" };
  const put = { token: hub.adminToken, body: text, headers };
  expect((await hub.request("PUT", "/rules/slips/text", put)).status).toBe(200);
  const warning = { path: "actions[0].message", line: 2, message: expect.stringContaining('have no "sorce"') };
  expect(await json("GET", "/rules/slips")).toMatchObject({ state: "enabled", warnings: [warning] });
  const listed = await json<{ id: string; warnings: object[] }[]>("GET", "/rules");
  expect(listed.find(({ id }) => id === "slips")?.warnings).toMatchObject([warning]);
  await hub.request("DELETE", "/rules/slips", { token: hub.adminToken });
});

describe("trying and running", () => {
  test("a dry run shows what would be done, and does nothing", async () => {
    const path = await made("tried");
    await json("PUT", "/variables/guests_tried", { value: true });
    const trigger = { type: "webhook_received", context: { body: { presses: 9 } } };
    const trace = await json<{ actions: { type: string; detail: string }[] }>("POST", `${path}/test`, { trigger });
    expect(trace).toMatchObject({ dry_run: true, outcome: "fired" });
    expect(trace.actions.map(({ type }) => type)).toEqual(["set_hub_variable", "log_message"]);
    expect((await hub.request("GET", "/variables/rung_tried", { token: hub.adminToken })).status).toBe(404);
    expect((await hub.request("POST", `${path}/test`, { token: hub.adminToken })).status).toBe(200);
  });

  test("a manual run, with conditions or without, names its caller", async () => {
    const path = await made("run");
    await json("PUT", "/variables/guests_run", { value: false });
    const token = await hub.tokenFor("admin");
    const run = async (body?: unknown) =>
      (await (
        await hub.request("POST", `${path}/run`, { token, ...(body === undefined ? {} : { body }) })
      ).json()) as object;
    expect(await run({ conditions: true })).toMatchObject({ outcome: "conditions_failed" });
    const trace = (await run()) as { trigger: { label: string } };
    expect(trace).toMatchObject({ outcome: "fired", dry_run: false });
    expect(trace.trigger.label).toContain("admin-");
    expect((await hub.request("POST", "/rules/nobody/run", { token })).status).toBe(404);
  });

  test("a run that takes long is answered with its trace so far", async () => {
    const { id } = await json<{ id: string }>("POST", "/rules", {
      name: "Slow",
      actions: [{ type: "delay", duration_secs: 3600 }],
    });
    const response = await hub.request("POST", `/rules/${id}/run`, { token: hub.adminToken });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ ended_at: null, actions: [{ type: "delay", result: "running" }] });
    expect(await json("GET", `/rules/${id}`)).toMatchObject({ running: 1 });
    expect((await hub.request("DELETE", `/rules/${id}`, { token: hub.adminToken })).status).toBe(204);
    expect((await hub.request("GET", `/rules/${id}`, { token: hub.adminToken })).status).toBe(404);
  });
});

test("a rule that a person saves while the hub runs is read soon", async () => {
  const { rules } = await json<{ rules: number }>("GET", "/system/status");
  await Bun.write(folder.at("rules", "by-hand.toml"), 'name = "By hand"\nactions = []\n');
  const listed = await until(
    "it is listed",
    async () =>
      (await json<{ file: string; state: string }[]>("GET", "/rules")).find(({ file }) => file === "by-hand.toml"),
    { everyMs: 20 },
  );
  expect(listed.state).toBe("enabled");
  expect((await json<{ rules: number }>("GET", "/system/status")).rules).toBe(rules + 1);
});

test("wrong calls are limited, from this machine those of each path", async () => {
  const guess = async (path: string) => (await hub.request("POST", `/webhooks/${path}?secret=guess`)).status;
  for (let attempt = 0; attempt < 5; attempt++) expect(await guess("guessed")).toBe(404);
  expect(await guess("guessed")).toBe(429);
  expect(await guess("another")).toBe(404);
  await using proxied = await startTestHub({ server: 'trusted_proxies = ["127.0.0.1"]' });
  const from = (address: string) =>
    proxied.request("POST", "/webhooks/read?secret=guess", { headers: { "x-forwarded-for": address } });
  for (let attempt = 0; attempt < 5; attempt++) expect((await from("192.0.2.1")).status).toBe(404);
  const refused = await from("192.0.2.1");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await from("198.51.100.1")).status).toBe(404);
});
