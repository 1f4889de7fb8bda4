// Rules on the compiled hub: files as people save them, power cuts, webhooks, who may do what, and rules that mean no good.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import type { MqttClient } from "mqtt";
import { readJournalTailBeside } from "../../src/server/db/readings.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import type { StreamClient } from "../support/stream-client.ts";
import { until } from "../support/wait.ts";

interface RuleBody {
  id: string;
  name: string;
  file: string;
  state: string;
  enabled: boolean;
  running_version: string;
  fire_count: number;
  error?: { message: string; line: number; column: number; frame: string };
  warnings: { message: string; line: number }[];
}

interface TraceBody {
  outcome: string;
  why: string;
  trigger: { context: Record<string, unknown> };
  actions: { type: string; result: string; detail?: string; parts?: TraceBody["actions"] }[];
}

const SECRET = "a-doorbell-secret-of-its-own";

/** A rule that fires when `hub/events/EVENT` is seen. */
const ron = (name: string, more: { event?: string; top?: string; actions?: string } = {}): string => {
  const { event = "shout", top = "", actions = 'LogMessage(message: "heard")' } = more;
  return `(name: "${name}", ${top} trigger: CustomEvent(event_type: "${event}"), actions: [${actions}])\n`;
};

const listed = async (hub: HubProcess, file: string) =>
  (await hub.get<RuleBody[]>("/rules")).find((rule) => rule.file === file);

function when(hub: HubProcess, file: string, fits: (rule: RuleBody) => boolean): Promise<RuleBody> {
  const look = async () => [await listed(hub, file)].find((rule) => rule !== undefined && fits(rule));
  return until(`${file} is as awaited`, look);
}

const traces = (hub: HubProcess, id: string) => hub.get<TraceBody[]>(`/rules/${encodeURIComponent(id)}/traces`);
const say = (client: MqttClient, event: string, fields: object = {}) =>
  client.publishAsync(`hub/events/${event}`, JSON.stringify(fields), { qos: 1 });
const fired = (stream: StreamClient, name: string): number =>
  stream.frames.filter(({ type, rule_name }) => type === "rule_fired" && rule_name === name).length;

describe("a house that runs", () => {
  const place: HubPlace = createHubPlace();
  let hub: HubProcess;
  let client: MqttClient;
  let stream: StreamClient;
  beforeAll(async () => {
    // One of them is broken from the start.
    place.put("rules/broken-at-start.ron", '(\n  id: "b", name: "Broken",\n  actions: [Delay(secs: 3)],\n)\n');
    place.put("rules/well.ron", ron("Well"));
    hub = await place.start();
    client = await hub.mqtt();
    stream = await hub.openStream();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  async function firesOnceMore(): Promise<void> {
    const before = fired(stream, "Well");
    await say(client, "shout");
    await until("another rule fires", () => fired(stream, "Well") > before);
  }

  test("starts with a broken file: it is listed with its place, and the others run", async () => {
    expect(await listed(hub, "broken-at-start.ron")).toMatchObject({
      ...{ id: "b", state: "broken", enabled: false, running_version: "none" },
      error: { line: 3, column: 19, message: expect.stringContaining('unknown key "secs"') },
    });
    const { problems } = await hub.get<{ problems: { part: string; message: string }[] }>("/system/status");
    const reported = problems.filter(({ part }) => part === "rules").map(({ message }) => message);
    // Others of these tests break rules as well.
    const broken = (await hub.get<RuleBody[]>("/rules")).filter(({ state }) => state === "broken");
    expect(reported).toHaveLength(broken.length);
    expect(reported.filter((message) => message.includes("rules/broken-at-start.ron:3"))).toHaveLength(1);
    await firesOnceMore();
  });

  test("a file takes effect, gets an id, and keeps its comments", async () => {
    for (const name of ["one", "two", "three", "four", "five"]) {
      place.put(
        `rules/${name}.ron`,
        `// why ${name} is here 😀\n${ron(name, { top: '\n  id: "", // keep me\n', event: name })}`,
      );
      await when(hub, `${name}.ron`, ({ state }) => state === "enabled");
      await say(client, name);
      await until(`${name} fires`, () => fired(stream, name) === 1);
    }
    const { id } = await when(hub, "one.ron", () => true);
    expect(place.read("rules/one.ron")).toBe(
      `// why one is here 😀\n${ron("one", { top: `\n  id: "${id}", // keep me\n`, event: "one" })}`,
    );
  });

  test("a broken edit leaves the last good version running, until it is mended or gone", async () => {
    place.put(
      "rules/edit.toml",
      `id = "edit"\nname = "First"\n[trigger]\ntype = "custom_event"\nevent_type = "edit"\n`,
    );
    await when(hub, "edit.toml", ({ state }) => state === "enabled");
    const broken = place
      .read("rules/edit.toml")
      .replace('"custom_event"', '"custom_evnt"')
      .replace("First", "Second °");
    place.put("rules/edit.toml", broken);
    expect(await when(hub, "edit.toml", ({ state }) => state === "broken")).toMatchObject({
      ...{ id: "edit", name: "First", running_version: "last_good" },
      error: { line: 4, column: 1, message: expect.stringContaining('did you mean "custom_event"?') },
    });
    expect(hub.output).toMatch(/edit\.toml/);
    await say(client, "edit");
    await until("the last good one fires", () => fired(stream, "First") === 1);
    place.put("rules/edit.toml", broken.replace("custom_evnt", "custom_event"));
    await when(hub, "edit.toml", ({ state, name }) => state === "enabled" && name === "Second °");
    rmSync(place.at("rules/edit.toml"));
    await until("it is gone", async () => (await listed(hub, "edit.toml")) === undefined);
    expect((await hub.request("GET", "/rules/edit")).status).toBe(404);
  });

  test("switching a rule off and on over the API changes that one place of its file", async () => {
    const text =
      '// 🌙 the night\n(\n    id: "night", /* mine */\n    name: "Night °",\n    // no actions yet\n    actions: [],\n)\n';
    place.put("rules/night.ron", text);
    await when(hub, "night.ron", ({ state }) => state === "enabled");
    const patch = async (enabled: boolean) =>
      (await hub.request("PATCH", "/rules/night", { body: { enabled } })).status;
    expect(await patch(false)).toBe(200);
    const off = place.read("rules/night.ron");
    expect(off.replace(/^.*enabled: false,.*\n/m, "")).toBe(text);
    expect(await patch(true)).toBe(200);
    expect(place.read("rules/night.ron")).toBe(off.replace("enabled: false", "enabled: true"));
    const status = await hub.request("DELETE", "/rules/night");
    expect([status.status, existsSync(place.at("rules/night.ron"))]).toEqual([204, false]);
  });

  test("a webhook opens with its secret only, and shows it to nobody", async () => {
    const actions = 'SetHubVariable(name: "ring", expression: "trigger.body.who")';
    place.put(
      "rules/bell.ron",
      `(id: "bell", name: "Bell", trigger: WebhookReceived(path: "bell", secret: "${SECRET}"), actions: [${actions}])`,
    );
    await when(hub, "bell.ron", ({ state }) => state === "enabled");
    const call = (secret: string, method = "POST", query = "") =>
      hub.request(method, `/webhooks/bell${query}`, {
        token: null,
        headers: secret === "" ? {} : { "x-webhook-secret": secret },
        ...(method === "POST" ? { body: { who: "der Müller 🔔" } } : {}),
      });
    expect((await call("wrong")).status).toBe(404);
    expect((await call(SECRET)).status).toBe(202);
    await until("the rule has run", async () => (await hub.request("GET", "/variables/ring")).status === 200);
    expect(await hub.get<object>("/variables/ring")).toMatchObject({ value: "der Müller 🔔" });
    expect((await call("", "GET", `?secret=${SECRET}`)).status).toBe(202);
    await hub.request("PATCH", "/rules/bell", { body: { enabled: false } });
    expect((await call(SECRET)).status).toBe(404);
    const reported = [hub.output, JSON.stringify(stream.frames), (await hub.request("GET", "/rules/bell/traces")).text];
    expect(reported.join()).not.toContain(SECRET);
  });

  test("rules that set themselves off are stopped, and the hub answers meanwhile", async () => {
    const rules = {
      echo: ron("Echo", { event: "echo", actions: 'FireEvent(event_type: "echo")' }),
      ping: ron("Ping", { event: "ping", actions: 'FireEvent(event_type: "pong")' }),
      pong: ron("Pong", {
        event: "pong",
        actions: 'Parallel([FireEvent(event_type: "ping"), FireEvent(event_type: "ping")])',
      }),
      count: `(name: "Count", trigger: HubVariableChanged(name: "count"),
        actions: [SetHubVariable(name: "count", expression: "hub_var('count') + 1")])`,
      spin: ron("Spin", {
        event: "spin",
        actions: 'RepeatWhile(expression: "true", max_turns: 10000, actions: [Comment(text: "x")])',
      }),
    };
    for (const [name, text] of Object.entries(rules)) place.put(`rules/loop-${name}.ron`, text);
    for (const name of Object.keys(rules)) await when(hub, `loop-${name}.ron`, ({ state }) => state === "enabled");
    for (const event of ["echo", "ping", "spin"]) await say(client, event);
    await hub.request("PUT", "/variables/count", { body: { value: 1 } });
    const reported = (name: string) =>
      stream.frames.find(({ type, rule_name }) => type === "action_failed" && rule_name === name);
    for (const name of ["Echo", "Count", "Spin"]) await until(`${name} is stopped`, () => reported(name));
    await until("the pair is stopped", () => reported("Ping") ?? reported("Pong"));
    expect((await hub.request("GET", "/health")).status).toBe(200);
    expect(String(reported("Echo")?.error)).toContain("Echo → Echo");
    expect(fired(stream, "Echo")).toBeLessThan(100);
    expect(fired(stream, "Ping") + fired(stream, "Pong")).toBeLessThan(500);
    expect((await hub.get<{ value: number }>("/variables/count")).value).toBeLessThan(500);
    await firesOnceMore();
  });

  test("a hundred actions within each other run; more are refused at their place, and the hundred go on", async () => {
    const inner = 'FireEvent(event_type: "depth", fields: {"t": "21 °C 😀"})';
    const nested = (depth: number): string =>
      ron("Deep", {
        event: "deep",
        top: 'id: "deep",',
        actions: `${"Parallel([".repeat(depth)}${inner}${"])".repeat(depth)}`,
      });
    place.put("rules/deep.ron", nested(100));
    await when(hub, "deep.ron", ({ state }) => state === "enabled");
    place.put("rules/deep.ron", nested(101));
    const refused = await when(hub, "deep.ron", ({ state }) => state === "broken");
    expect(refused).toMatchObject({ running_version: "last_good", error: { line: 1 } });
    expect(refused.error?.message).toContain("is inside more than 100 others");
    await say(client, "deep");
    await stream.frame("the innermost action", ({ type }) => type === "custom_depth");
    let [innermost] = (await traces(hub, "deep"))[0]?.actions ?? [];
    for (let level = 0; level < 100; level++) innermost = innermost?.parts?.[0];
    expect(innermost).toMatchObject({ type: "fire_event", result: "ok" });
    let body: object = { type: "comment", text: "x" };
    for (let level = 0; level < 101; level++) body = { type: "parallel", actions: [body] };
    const posted = await hub.request("POST", "/rules", { body: { name: "Deep", actions: [body] } });
    expect([posted.status, posted.text]).toEqual([400, expect.stringContaining("is inside more than 100 others")]);
  });

  test("emoji and ° in names, files, messages and values come through unharmed", async () => {
    const text = "21,5 °C — 🏠👨‍👩‍👧 „warm“";
    place.put(
      "rules/wärme 🔥 °.ron",
      ron(`Wärme 🔥 ${text.slice(0, 7)}`, {
        top: 'id: "wärme🔥", tags: ["größe", "🔥"],',
        event: "warm",
        actions: `SetHubVariable(name: "warm", value: "${text}"), FireEvent(event_type: "said", fields: {"°": "${text}"}), LogMessage(message: "${text}")`,
      }),
    );
    const rule = await when(hub, "wärme 🔥 °.ron", ({ state }) => state === "enabled");
    await say(client, "warm");
    expect(await stream.frame("it is said", ({ type }) => type === "custom_said")).toMatchObject({ "°": text });
    expect(await hub.get<object>("/variables/warm")).toMatchObject({ value: text });
    await hub.said(text);
    expect((await traces(hub, rule.id))[0]?.actions.at(-1)?.detail).toContain(text);
    expect(await hub.get<RuleBody[]>(`/rules?tag=${encodeURIComponent("🔥")}`)).toMatchObject([
      { name: `Wärme 🔥 21,5 °C` },
    ]);
  });

  test("viewers read, users try, administrators run, switch and write", async () => {
    const tokens: Record<string, string> = {};
    for (const role of ["viewer", "user"]) {
      const made = await hub.request("POST", "/auth/api-keys", { body: { label: role, role } });
      tokens[role] = made.json<{ key: string }>().key;
    }
    const { id } = await when(hub, "well.ron", () => true);
    const status = async (role: string, method: string, path: string, body?: unknown) =>
      (await hub.request(method, path, { token: tokens[role] ?? null, ...(body === undefined ? {} : { body }) }))
        .status;
    const may = async (method: string, path: string, body?: unknown) => [
      await status("viewer", method, path, body),
      await status("user", method, path, body),
    ];
    for (const path of ["/rules", `/rules/${id}`, `/rules/${id}/traces`, "/rules/vocabulary"])
      expect([path, ...(await may("GET", path)), await status("nobody", "GET", path)]).toEqual([path, 200, 200, 401]);
    expect(await may("POST", `/rules/${id}/test`)).toEqual([403, 200]);
    expect(await may("POST", `/rules/${id}/run`)).toEqual([403, 403]);
    expect(await may("POST", `/rules/${id}/pause`, {})).toEqual([403, 403]);
    expect(await may("POST", `/rules/${id}/resume`)).toEqual([403, 403]);
    expect(await may("PATCH", `/rules/${id}`, { enabled: true })).toEqual([403, 403]);
    expect(await may("PATCH", `/rules/${id}`, { name: "Mine" })).toEqual([403, 403]);
    expect(await may("GET", `/rules/${id}/text`)).toEqual([403, 403]);
    expect(await may("POST", "/rules", { name: "X", actions: [] })).toEqual([403, 403]);
    expect(await may("PUT", `/rules/${id}`, { name: "X", actions: [] })).toEqual([403, 403]);
    expect(await may("DELETE", `/rules/${id}`)).toEqual([403, 403]);
  });
});

test("a cooldown, and what has stood for a while, outlive a power cut", async () => {
  // Long before the five seconds are over.
  await using place = createHubPlace({ toml: "[storage]\nflush_secs = 1\n" });
  place.put("rules/quiet.ron", ron("Quiet", { top: 'id: "quiet", cooldown_secs: 3600,' }));
  place.put(
    "rules/stood.ron",
    `(id: "stood", name: "Stood", actions: [LogMessage(message: "°")],
      trigger: DeviceStateChanged(device_id: "door", attribute: "open", to: true, for_duration_secs: 5))`,
  );
  const first = await place.start();
  const client = await first.mqtt();
  const stream = await first.openStream();
  await client.publishAsync("hub/devices/door/state", '{"open":false}', { qos: 1 });
  await client.publishAsync("hub/devices/door/state", '{"open":true}', { qos: 1 });
  const change = await stream.frame(
    "the door opens",
    (frame) => frame.type === "device_state_changed" && (frame.current as { open: boolean }).open,
  );
  const opened = Date.parse(change.timestamp);
  await until("it is on disk that it stands", () => rows(place, "rule_holds") === 1);
  // The journal of readings has a timer of its own, and makes its folder with the first of them.
  const readings = () =>
    readJournalTailBeside(place.at("data/state.redb"))?.segments.flatMap((segment) => segment.readings);
  await until("it is on disk that it is open", () => readings()?.some(({ set }) => set?.open === true));
  await say(client, "shout");
  await stream.frame("it fires", ({ type }) => type === "rule_fired");
  // Written in the next turn of the hub's event loop, when others may know already.
  await until("it is on disk that it fired", () => rows(place, "rule_state") > 0);
  first.kill("SIGKILL");
  await first.exited;

  const second = await place.start();
  const again = await second.openStream({ since: "0" });
  await say(await second.mqtt(), "shout");
  const [trace] = await until("it was set off", async () =>
    [await traces(second, "quiet")].find(({ length }) => length > 0),
  );
  expect(trace).toMatchObject({
    outcome: "cooldown",
    why: expect.stringMatching(/^it fired .* ago and has a cooldown of 3600 s/),
  });
  const stood = await again.frame(
    "it has stood for five seconds",
    ({ type, rule_id }) => type === "rule_fired" && rule_id === "stood",
  );
  const afterMs = Date.parse(stood.timestamp) - opened;
  expect([5000, 6000]).toContain(afterMs);
  expect(stood.trigger_context).toMatchObject({ device_id: "door", attribute: "open", value: true });
  expect(fired(again, "Stood")).toBe(1);
});

/** Rows of a table of the state database, seen from outside. */
function rows(place: HubPlace, table: string): number {
  using db = new Database(place.at("data/state.redb"), { readonly: true });
  return db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
}
