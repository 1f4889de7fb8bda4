// A broken file or row never stops the house: what cannot be read is listed with its place, and the rest runs.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub, type TestHubOptions } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

setDefaultTimeout(60_000);

const DIGITS = "9".repeat(309);
const GOOD = 'Rule(id: "good", name: "Good", trigger: ManualTrigger, actions: [LogMessage("it runs")])\n';

async function ask<T = Record<string, never>>(hub: TestHub, path: string, body?: unknown): Promise<T> {
  const how = { token: hub.adminToken, ...(body === undefined ? {} : { body }) };
  return (await (await hub.request(body === undefined ? "GET" : "POST", path, how)).json()) as T;
}

async function problemsOf(hub: TestHub): Promise<string[]> {
  const { problems } = await ask<{ problems: { part: string; message: string }[] }>(hub, "/system/status");
  return problems.map(({ part, message }) => `${part}: ${message}`);
}

async function withHub(
  options: TestHubOptions & { folder: TemporaryFolder },
  work: (hub: TestHub) => Promise<void>,
): Promise<TestHub["admin"]> {
  await using hub = await startTestHub(options);
  await work(hub);
  return hub.admin;
}

test("every kind of broken rule file is listed with its place, and the valid rule runs", async () => {
  using folder = createTemporaryFolder();
  const rules = folder.at("rules");
  mkdirSync(rules, { recursive: true });
  const shipped = readFileSync(resolve(import.meta.dir, "../../rules/examples/good-morning.toml"), "utf8");
  const broken: Record<string, string | Uint8Array> = {
    "digits.ron": `(name: "x", trigger: ManualTrigger, actions: [Delay(${DIGITS})])`,
    "digits.toml": `name = "x"\npriority = ${DIGITS}\n[trigger]\ntype = "manual_trigger"\n`,
    "infinite.toml": 'name = "x"\npriority = inf\n',
    "large.ron": '(name: "x", priority: 1e400)',
    "date.toml": 'name = "x"\npriority = 2026-01-01\n',
    "deep.ron": `(name: "x", actions: ${"[".repeat(50_000)}`,
    "deep.toml": `name = "x"\nvariables = ${"{a=".repeat(5000)}1${"}".repeat(5000)}\n`,
    "proto.toml": 'name = "x"\n[variables]\n__proto__ = 1\n',
    "proto.ron": '(name: "x", variables: {"constructor": 1})',
    "nul.toml": `${shipped.slice(0, 40)}\0${shipped.slice(40)}`,
    "cr.toml": 'name = "x"\rpriority = 1\r',
    "latin.ron": Buffer.from('(name: "Küche")', "latin1"),
    "utf16.toml": Buffer.from('\ufeffname = "x"', "utf16le"),
    "line.toml": `name = "${"x".repeat(10_000_000)}"`,
    "noise.ron": Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256),
    "empty.toml": "",
    "twin.ron": GOOD,
    "twice.toml": 'name = "x"\nname = "y"\n',
    "half.toml": shipped.slice(0, shipped.length / 2),
  };
  writeFileSync(join(rules, "good.ron"), GOOD);
  for (const [name, content] of Object.entries(broken)) writeFileSync(join(rules, name), content);
  await withHub({ folder }, async (hub) => {
    const list = await ask<{ file: string; state: string; error?: { line: number } }[]>(hub, "/rules");
    const seen = new Map(list.map((rule) => [rule.file, rule]));
    for (const file of Object.keys(broken)) {
      expect(`${file} ${seen.get(file)?.state}`).toBe(`${file} broken`);
      expect(seen.get(file)?.error?.line).toBeGreaterThan(0);
    }
    expect(seen.get("good.ron")?.state).toBe("enabled");
    expect(list.length).toBe(Object.keys(broken).length + 1);
    const problems = await problemsOf(hub);
    expect(problems.filter((line) => line.startsWith("rules: "))).toHaveLength(Object.keys(broken).length);
    expect(problems.join("\n")).toContain("digits.toml:2: this number cannot be held exactly");
    expect(await ask(hub, "/rules/good/run", {})).toMatchObject({ outcome: "fired" });
  });
});

test("one broken mode, plugin, account and channel is listed; the others work", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("config"), { recursive: true });
  writeFileSync(
    folder.at("config", "modes.toml"),
    `[[modes]]\nid = "night"\nkind = "solar"\non_event = "sunset"\noff_event = "sunrise"\non_offset_minutes = ${DIGITS}\n[[modes]]\nid = "away"\nkind = "manual"\n`,
  );
  const toml = `
[[mqtt.users]]
username = "nobody"
[battery]
threshold_pct = ${DIGITS}
[[plugins]]
id = "broken"
binary = 5
[[plugins]]
id = "absent"
binary = "plugins/absent/bin/absent"
[[notify.channels]]
name = "phone"
type = "push"
`;
  await withHub({ folder, toml }, async (hub) => {
    const plugins = await ask<{ id: string; status: string; notices: { message: string }[] }[]>(hub, "/plugins");
    expect(plugins.map(({ id }) => id).sort()).toEqual(["absent", "broken"]);
    expect(plugins.find(({ id }) => id === "broken")).toMatchObject({
      status: "stopped",
      notices: [
        { level: "error", code: "config", message: expect.stringContaining("plugins[0].binary: must be text") },
      ],
    });
    expect(await ask(hub, "/plugins/broken/start", {})).toMatchObject({ code: "conflict" });
    await until("the absent one is offline", async () => (await ask(hub, "/plugins/absent")).status === "offline");
    expect((await ask(hub, "/plugins/absent")).last_exit).toMatchObject({
      reason: expect.stringContaining("does not exist"),
    });
    expect(await ask<unknown[]>(hub, "/modes")).toMatchObject([{ id: "away" }]);
    const problems = (await problemsOf(hub)).join("\n");
    for (const line of [
      /^plugins: .*hub\.toml:\d+: plugins\[0\]\.binary: must be text; until this is mended, the plugin is not started$/m,
      /^mqtt: .*hub\.toml:\d+: mqtt\.users\[0\]\.password: missing/m,
      /^battery: .*hub\.toml:\d+: battery\.threshold_pct: must be/m,
      /^modes: .*modes\.toml:6: modes\[0\]\.on_offset_minutes: must be/m,
      /^notify: phone: /m,
    ])
      expect(problems).toMatch(line);
  });
});

/** Names the columns that get a value: a later migration may have added others. */
function withColumns(db: Database, sql: string): string {
  return sql.replace(/INTO (\w+) VALUES \((.*)\)$/, (_, table: string, values: string) => {
    const count = values.match(/(?:'[^']*'|[^,'])+/g)?.length;
    const columns = db.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`).all();
    const named = columns.slice(0, count).map(({ name }) => name);
    return `INTO ${table} (${named.join(", ")}) VALUES (${values})`;
  });
}

test("stored rows that cannot be read are named, and the hub starts with all others", async () => {
  using folder = createTemporaryFolder();
  const admin = await withHub({ folder }, async (hub) => {
    for (const id of ["evening", "morning"])
      await ask(hub, "/scenes", { id, name: id, states: { lamp: { on: true } } });
    for (const name of ["count", "text"]) {
      const { adminToken: token } = hub;
      expect((await hub.request("PUT", `/variables/${name}`, { token, body: { value: 1 } })).status).toBeLessThan(300);
    }
    for (const id of ["tea", "eggs"]) await ask(hub, "/timers", { id });
    for (const name of ["Attic", "Cellar"]) await ask(hub, "/areas", { name });
  });
  {
    using db = new Database(folder.at("data", "state.redb"));
    for (const sql of [
      "UPDATE scenes SET states = '{' WHERE id = 'evening'",
      "UPDATE variables SET value = x'ff00' WHERE name = 'text'",
      "UPDATE devices SET details = 'null' WHERE id = 'tea'",
      "INSERT OR REPLACE INTO device_state VALUES ('tea', 1, '[1,', '{\"on\":\"x\"}', 'never')",
      "INSERT INTO devices VALUES (x'00', 'p', 'n', 0, NULL, 0, NULL, '{}', 0)",
      "UPDATE areas SET name = x'01' WHERE name = 'Attic'",
      "INSERT INTO outbox VALUES (1, x'00', 'm', 'x', 'y', 0, 0, NULL, 0, 0, 0, 't', x'02')",
      "INSERT INTO outbox VALUES (2, 'gone', 'm', 'x', 'y', 0, 0, NULL, 'z', 0, 0, 't', 'm')",
      "INSERT INTO rule_holds VALUES ('good', 'k', 'd', 'then', 'no', '{')",
      "INSERT INTO rule_state VALUES ('good', 'then', 'often', 'ever', 'long')",
      "INSERT INTO rule_marks VALUES ('good/1', 'then')",
      "INSERT INTO battery_low VALUES ('tea', 'then')",
      "INSERT OR REPLACE INTO meta VALUES ('known_plugins', '{')",
      "INSERT OR REPLACE INTO meta VALUES ('event_seq', 'many')",
      "INSERT OR REPLACE INTO meta VALUES ('schedule_backup', 'then')",
      "INSERT INTO api_keys VALUES ('x', x'00', x'01', 'boss', x'02', 'then', 'then', x'03')",
      "INSERT INTO sessions SELECT 's', id, ver, 'then', 'ever', 8e15, x'00', x'01' FROM users LIMIT 1",
      "INSERT INTO ended_sessions VALUES (x'00', 'x', 'never')",
      "INSERT INTO audit (at, until, count, actor_kind, actor_id, actor_name, address, action, target, outcome, detail, share) VALUES ('then', 'ever', 'often', 'k', 'i', 'n', 'a', 'b', 't', 'o', x'00', 's')",
      "INSERT INTO users VALUES ('x', x'00', x'01', 'boss', 'v', 'then')",
    ])
      db.run(withColumns(db, sql));
  }
  writeFileSync(folder.at("rules", "good.ron"), GOOD);
  await withHub({ folder, admin, toml: '[backup]\nschedule = "0 0 3 * * *"\n' }, async (hub) => {
    const ids = async (path: string): Promise<string[]> =>
      (await ask<{ id?: string; name: string }[]>(hub, path)).map(({ id, name }) => id ?? name);
    expect(await ids("/scenes")).toEqual(["morning"]);
    expect(await ids("/variables")).toEqual(["count"]);
    expect((await ids("/timers")).sort()).toEqual(["eggs", "tea"]);
    expect(await ids("/areas")).toEqual(["cellar"]);
    expect(await ask(hub, "/rules/good/run", {})).toMatchObject({ outcome: "fired" });
    const problems = (await problemsOf(hub)).join("\n");
    for (const line of ["evening in scenes", "text in variables", "tea in devices", "in areas", "1 in outbox"])
      expect(problems).toContain(line);
    const events = await ask<{ seq: number }[]>(hub, "/events");
    expect(events.length).toBeGreaterThan(0);
    for (const { seq } of events) expect(Number.isSafeInteger(seq)).toBe(true);
    for (const path of [
      "/auth/users",
      "/auth/api-keys",
      "/auth/sessions",
      "/system/audit",
      "/devices",
      "/notify/outbox",
    ])
      expect(`${path} ${(await hub.request("GET", path, { token: hub.adminToken })).status < 500}`).toBe(
        `${path} true`,
      );
    // Making it again repairs it.
    await ask(hub, "/scenes", { id: "evening", name: "Evening", states: {} });
    expect((await ids("/scenes")).sort()).toEqual(["evening", "morning"]);
  });
});
