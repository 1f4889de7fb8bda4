// What puts programs on the machine or replaces the house asks for the password again, and takes no API key.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homeAt } from "../../../src/server/home/paths.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { JWT_SECRET, startTestHub, type TestHub } from "../../support/test-hub.ts";

const TEXT = `[server]
host = "127.0.0.1"
port = 0
[auth]
jwt_secret = "${JWT_SECRET}"
[mqtt]
port = 0
[[plugins]]
id = "known"
binary = "plugins/known/bin/known.js"
enabled = false
confine = "off"

[[plugins]]
id = "other"
binary = "plugins/other/bin/other.js"
enabled = false
`;
const SPY = `[[plugins]]\nid = "spy"\nbinary = "plugins/spy/bin/spy.js"\nenabled = false\n`;

const folder = createTemporaryFolder();
const home = homeAt(folder.path);
let hub: TestHub;
let apiKey: string;
beforeAll(async () => {
  mkdirSync(home.config, { recursive: true });
  writeFileSync(home.hubToml, TEXT);
  hub = await startTestHub({ folder });
  const body = { label: "a script", role: "admin" };
  const made = await hub.request("POST", "/auth/api-keys", { token: hub.adminToken, body });
  apiKey = ((await made.json()) as { key: string }).key;
  const upload = send("POST", "/plugins?id=kept&enabled=false", "export {};", "text/javascript");
  expect((await upload({ headers: await hub.confirmed() })).status).toBe(201);
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface Sent {
  token?: string;
  headers?: Record<string, string>;
}

/** Each such request, with a body that is refused for what it is once the caller is not. */
const ASKING: readonly [name: string, send: (sent: Sent) => Promise<Response>][] = [
  ["an upgrade", send("POST", "/system/upgrade", "no hub")],
  ["going back", send("POST", "/system/upgrade/rollback")],
  ["a plugin", send("POST", "/plugins?id=one", "this does not parse (", "text/javascript")],
  ["a restore", send("POST", "/system/restore", "no archive", "application/zip")],
  ["a restore from elsewhere", send("POST", "/system/restore-copy", JSON.stringify({ target: "x", name: "latest" }))],
  ["a plugin's program before", send("POST", "/plugins/kept/rollback")],
  ["a plugin in hub.toml", send("PUT", "/system/config", `${TEXT}${SPY}`, "text/plain")],
];

function send(method: string, path: string, body?: string, type = "application/json") {
  return ({ token = hub.adminToken, headers = {} }: Sent): Promise<Response> =>
    hub.request(method, path, {
      token,
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": type }) },
    });
}

test.each(ASKING)(
  "%s: a token alone is not enough, and neither is an API key or somebody else's confirmation",
  async (_, ask) => {
    const before = readFileSync(home.hubToml, "utf8");
    const token = await ask({});
    expect({ status: token.status, body: await token.json() }).toMatchObject({
      status: 403,
      body: { code: "forbidden", confirm: "password", detail: expect.stringContaining("POST /api/v1/auth/confirm") },
    });
    const key = await ask({ token: apiKey, headers: await hub.confirmed() });
    expect({ status: key.status, body: await key.json() }).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("an API key is not enough for this: log in with") },
    });
    const other = await ask({ token: await hub.tokenFor("admin"), headers: await hub.confirmed() });
    expect(other.status).toBe(403);
    expect(readFileSync(home.hubToml, "utf8")).toBe(before);
    const confirmed = await ask({ headers: await hub.confirmed() });
    expect(confirmed.status).not.toBe(403);
    writeFileSync(home.hubToml, before);
  },
);

test("the password has to be the caller's, and whoever has none reads what to do", async () => {
  const confirm = (token: string, password: string) =>
    hub.request("POST", "/auth/confirm", { token, body: { password } });
  expect((await confirm(hub.adminToken, "not the password")).status).toBe(403);
  const key = await confirm(apiKey, hub.admin.password);
  expect({ status: key.status, text: await key.text() }).toMatchObject({
    status: 403,
    text: expect.stringContaining("log in with the name and the password"),
  });
  expect(await (await confirm(hub.adminToken, hub.admin.password)).json()).toMatchObject({ expires_in: 300 });
});

test("a dry run changes nothing and asks for nothing", async () => {
  const dry = await send("POST", "/system/restore?dry_run=true", "no archive", "application/zip")({ token: apiKey });
  expect(dry.status).toBe(400);
});

test.each([
  'confine = "off"',
  'write = ["/"]',
  'read = ["/"]',
  "unix_sockets = true",
  'args = ["--all"]',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the configuration.
  'env = { PASSWORD = "${HUB_MQTT_PASSWORD}" }',
  'publish = ["#"]',
  'api = "user"',
])("%s of a plugin that is there asks as well", async (line) => {
  const saved = await send("PUT", "/system/config", `${TEXT}${line}\n`, "text/plain")({});
  expect({ status: saved.status, body: await saved.json() }).toMatchObject({
    status: 403,
    body: { confirm: "password" },
  });
});

test("a configuration that changes no plugin but whether it is started is saved without", async () => {
  const save = (text: string) => send("PUT", "/system/config", text, "text/plain")({});
  expect((await save(`${TEXT}# A remark.\n`)).status).toBe(200);
  expect((await save(TEXT.replaceAll("enabled = false", "enabled = true"))).status).toBe(200);
  // The one that is let out is another program now.
  expect((await save(TEXT.replace("bin/known.js", "bin/other.js"))).status).toBe(403);
  expect((await save(TEXT)).status).toBe(200);
});

interface Person {
  username: string;
  password: string;
}

/** How somebody becomes an administrator. */
const MAKING: readonly [name: string, make: (sent: Sent) => Promise<Person>][] = [
  ["a new account", (sent) => account({ role: "admin" }, sent)],
  [
    "a new password",
    async (sent) => {
      const { username } = await account({ role: "admin" }, { headers: await hub.confirmed() });
      await change(username, { password: "another password" }, sent);
      return { username, password: "another password" };
    },
  ],
  [
    "the role",
    async (sent) => {
      const made = await account({ role: "user" }, { headers: await hub.confirmed() });
      await change(made.username, { role: "admin" }, sent);
      return made;
    },
  ],
];
let made = 0;

async function account({ role }: { role: string }, { token = hub.adminToken, headers = {} }: Sent) {
  const body = { username: `person-${++made}`, password: "correct horse battery", role };
  expect((await hub.request("POST", "/auth/users", { token, headers, body })).status).toBe(201);
  return body;
}

async function change(username: string, body: object, { token = hub.adminToken, headers = {} }: Sent): Promise<void> {
  expect((await hub.request("PATCH", `/auth/users/${username}`, { token, headers, body })).status).toBe(200);
}

async function tokenOf({ username, password }: Person): Promise<string> {
  const login = await hub.request("POST", "/auth/login", { body: { username, password } });
  return ((await login.json()) as { token: string }).token;
}

async function confirmedBy(person: Person): Promise<Response> {
  return hub.request("POST", "/auth/confirm", { token: await tokenOf(person), body: { password: person.password } });
}

test.each(MAKING)(
  "%s from a key, as from any token without a confirmation, makes nobody who can confirm",
  async (_, make) => {
    const person = await make({ token: apiKey });
    const refused = await confirmedBy(person);
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining(`hub passwd ${person.username}`) },
    });
    // A password that they choose themselves changes nothing of that.
    const own = await tokenOf(person);
    const next = { current_password: person.password, new_password: "one of their own" };
    expect((await hub.request("POST", "/auth/change-password", { token: own, body: next })).status).toBeLessThan(300);
    expect((await confirmedBy({ ...person, password: "one of their own" })).status).toBe(403);
    await change(person.username, { password: "given by a person" }, { headers: await hub.confirmed() });
    expect((await confirmedBy({ ...person, password: "given by a person" })).status).toBe(200);
    expect((await confirmedBy(await make({ headers: await hub.confirmed() }))).status).toBe(200);
  },
  60_000,
);

test("nor do several that are made at once", async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => account({ role: "admin" }, { token: apiKey })));
  for (const person of people) expect((await confirmedBy(person)).status).toBe(403);
}, 60_000);
