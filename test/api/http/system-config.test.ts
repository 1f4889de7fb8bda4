// /system/config and /system/restart: hub.toml over the network, with its secrets masked, and the way back if it was wrong.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Restart } from "../../../src/copies/backup/restore/restores.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import { runScenarios } from "../../support/scenarios.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { JWT_SECRET, startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const TEXT = `# Ours
[server]
host = "127.0.0.1"
port = 0
[auth]
jwt_secret = "${JWT_SECRET}" # never shown
[mqtt]
port = 0
anonymous = true
[[mqtt.users]]
username = "garage"
password = "garage-secret"
`;

const folder = createTemporaryFolder();
const home = homeAt(folder.path);
const asked: Restart[] = [];
let hub: TestHub;
beforeAll(async () => {
  mkdirSync(home.config, { recursive: true });
  writeFileSync(home.hubToml, TEXT);
  hub = await startTestHub({ folder, requestRestart: (restart) => asked.push(restart) });
});
beforeEach(() => writeFileSync(home.hubToml, TEXT, { mode: 0o600 }));
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> =>
  hub.request(method, path, {
    token: hub.adminToken,
    ...(body !== undefined && { body }),
    headers: { ...headers, ...(body !== undefined && { "content-type": "text/plain" }) },
  });
const onDisk = (): string => readFileSync(home.hubToml, "utf8");

runScenarios(
  () => hub,
  [
    { name: "a user does not read it", path: "/system/config", as: "user", status: 403 },
    { name: "a user does not change it", method: "PUT", path: "/system/config", as: "user", body: "", status: 403 },
    { name: "a user does not restart", method: "POST", path: "/system/restart", as: "user", status: 403 },
    {
      name: "it is read without its secrets, with its comments",
      path: "/system/config",
      status: 200,
      contains: ["# Ours", 'jwt_secret = "•••" # never shown', 'password = "•••"'],
      lacks: [JWT_SECRET, "garage-secret"],
    },
  ],
);

test("forms are made from its schema: every section and kind of channel, and what is secret", async () => {
  const schema = JSON.parse(await (await ask("GET", "/system/config/schema")).text());
  expect(schema).toMatchObject({
    properties: {
      server: { properties: { port: { type: "integer", default: 8080 } } },
      auth: { properties: { jwt_secret: { writeOnly: true } } },
      plugins: { type: "array", items: { required: expect.arrayContaining(["id", "binary"]) } },
    },
  });
  const { anyOf } = schema.properties.notify.properties.channels.items;
  expect(anyOf.map(({ title }: { title: string }) => title)).toContain("Telegram");
});

test("a form's change keeps the text around it, and what it says is read back", async () => {
  const masked = await (await ask("GET", "/system/config")).text();
  const edits = [
    { path: ["server", "port"], value: 8090 },
    { path: ["mqtt", "users", 0, "password"], value: "•••" },
    { path: ["notify", "channels", 0], value: { name: "phone", type: "push_app", api_key: "a", user_key: "u" } },
  ];
  const body = { text: masked, edits };
  const edited = await hub.request("POST", "/system/config/edit", { token: hub.adminToken, body });
  expect(edited.status).toBe(200);
  const { text } = (await edited.json()) as { text: string };
  expect(text).toBe(
    `${masked.replace("port = 0", "port = 8090")}\n[[notify.channels]]\nname = "phone"\ntype = "push_app"\napi_key = "a"\nuser_key = "u"\n`,
  );
  expect(onDisk()).toBe(TEXT);
  const checked = await (await ask("POST", "/system/config/check", text)).json();
  expect(checked).toMatchObject({
    problems: [],
    values: { server: { port: 8090 }, notify: { channels: [{ name: "phone" }] } },
  });
  expect(await (await ask("POST", "/system/config/check", "=")).json()).toMatchObject({ values: null });
});

test("what is put back unchanged is the same file", async () => {
  const read = await ask("GET", "/system/config");
  const etag = read.headers.get("etag") ?? "";
  const saved = await ask("PUT", "/system/config", await read.text(), { "if-match": etag });
  expect(saved.status).toBe(200);
  expect(saved.headers.get("etag")).toBe(etag);
  expect(onDisk()).toBe(TEXT);
});

test("a change keeps comments and secrets, and says what waits for a restart", async () => {
  const read = await ask("GET", "/system/config");
  const edited = `${(await read.text()).replace("# Ours", "# Theirs")}[log]\nlevel = "debug"\n`;
  const checked = await ask("POST", "/system/config/check", edited);
  expect(await checked.json()).toMatchObject({ problems: [] });
  expect(onDisk()).toBe(TEXT);
  const logged = async () => (await (await ask("GET", "/system/audit?action=config")).json()) as object[];
  const before = await logged();
  const saved = await ask("PUT", "/system/config", edited, { "if-match": read.headers.get("etag") ?? "" });
  const { changes } = (await saved.json()) as { changes: string[] };
  expect(changes).toContain("log.level");
  expect(onDisk()).toBe(`${TEXT.replace("# Ours", "# Theirs")}[log]\nlevel = "debug"\n`);
  expect(statSync(home.hubToml).mode & 0o777).toBe(0o600);
  const [change, ...older] = await logged();
  expect(change).toMatchObject({ action: "config.change", outcome: "ok", actor: { name: "admin" } });
  expect(older).toEqual(before);
});

test("what somebody changed meanwhile stays", async () => {
  const read = await ask("GET", "/system/config");
  writeFileSync(home.hubToml, `${TEXT}# by hand\n`);
  const saved = await ask("PUT", "/system/config", await read.text(), { "if-match": read.headers.get("etag") ?? "" });
  expect(saved.status).toBe(409);
  expect(onDisk()).toContain("# by hand");
});

test("with problems it is not saved, and each has its place in the text that was sent", async () => {
  const masked = await (await ask("GET", "/system/config")).text();
  for (const [edited, problem] of [
    [masked.replace("port = 0", "port = 99999"), { path: "server.port", line: 4, column: 1 }],
    [masked.replace("port = 0", "port ="), { path: "", line: 4 }],
    [`${masked}[[mqtt.users]]\nusername = "a"\npassword = "•••"\n`, { path: "mqtt.users[1].password", line: 15 }],
  ] as const) {
    const refused = await ask("PUT", "/system/config", edited);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: "invalid", problems: [problem] });
    expect(onDisk()).toBe(TEXT);
  }
});

test("what the hub would leave out is only taken with force", async () => {
  const edited = `${await (await ask("GET", "/system/config")).text()}[battery]\nthreshold_pct = "low"\n`;
  const refused = await ask("PUT", "/system/config", edited);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ problems: [{ path: "battery.threshold_pct", confined: true }] });
  const saved = await ask("PUT", "/system/config?force=true", edited);
  expect(await saved.json()).toMatchObject({ problems: [{ path: "battery.threshold_pct", confined: true }] });
  expect(onDisk()).toContain('threshold_pct = "low"');
});

test("a restart that fails goes back to the text the hub ran with, and keeps the other", async () => {
  const response = await ask("POST", "/system/restart");
  expect(response.status).toBe(202);
  await until("the restart is asked for", () => asked.length > 0);
  writeFileSync(home.hubToml, TEXT.replace("garage", "wrong"));
  await asked[0]?.apply();
  await asked[0]?.trial?.revert("the port is in use");
  expect(onDisk()).toBe(TEXT);
  expect(readFileSync(home.refusedHubToml, "utf8")).toContain("wrong");
  const status = await (await ask("GET", "/system/status")).json();
  expect(JSON.stringify(status)).toContain("went back to the former one");
  await ask("PUT", "/system/config", TEXT);
  expect(existsSync(home.refusedHubToml)).toBeFalse();
});
