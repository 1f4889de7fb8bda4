// /system/audit: what callers of the API and the broker do is in it, with who and from where, and without secrets.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { databaseSchemas } from "../../../src/app/hub/wire-stores.ts";
import { restoreHome } from "../../../src/copies/backup/restore/restore.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import { runScenarios } from "../../support/scenarios.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

interface Entry {
  id: number;
  at: string;
  actor: { kind: string; id: string; name: string };
  address: string;
  action: string;
  target: string;
  outcome: string;
  detail: string;
  count: number;
}

const PIN = "480215";
const RULE = "6f2c1f0e-6d60-4b0f-9d53-1e8d9a1c2b01";
let hub: TestHub;

beforeAll(async () => {
  hub = await startTestHub({ server: 'trusted_proxies = ["127.0.0.1"]' });
});
afterAll(() => hub[Symbol.asyncDispose]());

const entries = async (query: string, of = hub): Promise<Entry[]> =>
  (await (await of.request("GET", `/system/audit${query}`, { token: of.adminToken })).json()) as Entry[];
const lastId = async (of = hub): Promise<number> => (await entries("?limit=1", of))[0]?.id ?? 0;
const act = async (method: string, path: string, body?: unknown, as = hub.adminToken): Promise<number> => {
  const response = await hub.request(method, path, {
    token: as,
    headers: { "x-forwarded-for": "203.0.113.20" },
    ...(body === undefined ? {} : { body }),
  });
  await response.text();
  return response.status;
};

test("changes of users, keys, sessions, rules and plugins are logged with caller and address", async () => {
  const done: [string, string, unknown?][] = [
    ["POST", "/auth/users", { username: "eve", password: "password of eve", role: "admin" }],
    ["PATCH", "/auth/users/eve", { role: "viewer" }],
    ["PATCH", "/auth/users/eve", { password: "another of eve" }],
    ["POST", "/auth/api-keys", { label: "panel", role: "viewer" }],
    ["POST", "/rules", { id: RULE, name: "Alarm", actions: [{ type: "log_message", message: "x" }] }],
    ["PATCH", `/rules/${RULE}`, { enabled: false }],
    ["PATCH", `/rules/${RULE}`, { enabled: true }],
    ["POST", `/rules/${RULE}/run`],
    ["POST", `/rules/${RULE}/pause`],
    ["POST", `/rules/${RULE}/resume`],
    ["DELETE", `/rules/${RULE}`],
    ["POST", "/plugins/nobody/start"],
    ["DELETE", "/auth/users/eve"],
    ["POST", "/system/backup"],
  ];
  const last = await lastId();
  for (const [method, path, body] of done) await act(method, path, body);
  const found = (await entries(`?since=${last}&limit=100`)).toReversed().filter(({ action }) => action !== "login");
  expect(found.map(({ action, target, outcome, detail }) => [action, target, outcome, detail])).toEqual([
    ["user.create", "eve", "ok", "role: admin, username: eve"],
    ["user.change", "eve", "ok", "role: viewer, username: eve"],
    ["user.change", "eve", "ok", "role: viewer, username: eve"],
    ["key.create", expect.stringMatching(/-/), "ok", "label: panel, role: viewer"],
    ["rule.create", RULE, "ok", "name: Alarm, enabled: true"],
    ["rule.change", RULE, "ok", "name: Alarm, enabled: false"],
    ["rule.change", RULE, "ok", "name: Alarm, enabled: true"],
    ["rule.run", RULE, "ok", ""],
    ["rule.pause", RULE, "ok", "name: Alarm, enabled: true"],
    ["rule.resume", RULE, "ok", "name: Alarm, enabled: true"],
    ["rule.remove", RULE, "ok", ""],
    ["plugin.start", "nobody", "refused", "not_found"],
    ["user.remove", "eve", "ok", ""],
    ["backup.download", "", "ok", ""],
  ] as never);
  for (const { actor, address, at } of found) {
    expect({ kind: actor.kind, name: actor.name, address }).toEqual({
      kind: "user",
      name: "admin",
      address: "203.0.113.20",
    });
    expect(at).toMatch(/^\d{4}-.*Z$/);
  }
  const text = JSON.stringify(await entries("?limit=1000"));
  for (const secret of ["password of eve", "another of eve", "hub_", hub.adminToken])
    expect(text).not.toContain(secret);
});

test("changes of what the house is made of are logged, and what shows secrets", async () => {
  const done: [string, string, unknown?][] = [
    ["PUT", "/variables/alarm_pin", { value: PIN }],
    ["DELETE", "/variables/alarm_pin"],
    ["POST", "/areas", { id: "attic", name: "Attic" }],
    ["PATCH", "/areas/attic", { name: "Loft" }],
    ["POST", "/switches", { id: "guests", name: "Guests" }],
    ["PATCH", "/switches/guests", { name: "Visitors" }],
    ["PATCH", "/devices/guests", { area: "attic" }],
    ["POST", "/timers", { id: "tea" }],
    ["PATCH", "/timers/tea", { name: "Tea" }],
    ["POST", "/scenes", { id: "evening", name: "Evening", states: { guests: { on: true } } }],
    ["PATCH", "/scenes/evening", { name: "Late" }],
    ["POST", "/scenes/evening/capture"],
    ["POST", "/groups", { id: "all", name: "All", members: ["guests"] }],
    ["PATCH", "/groups/all", { name: "Everything" }],
    ["PUT", "/modes/nowhere", { on: true }],
    ["POST", "/rules", { id: RULE, name: "Bell", actions: [] }],
    ["GET", `/rules/${RULE}/text`],
    ...["scenes/evening", "groups/all", "timers/tea", "switches/guests", "areas/attic", `rules/${RULE}`].map(
      (path): [string, string] => ["DELETE", `/${path}`],
    ),
  ];
  const last = await lastId();
  for (const [method, path, body] of done) await act(method, path, body);
  const found = (await entries(`?since=${last}&limit=100`)).toReversed();
  expect(found.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`)).toEqual([
    "variable.change alarm_pin ok",
    "variable.remove alarm_pin ok",
    "area.create attic ok",
    "area.change attic ok",
    "switch.create guests ok",
    "switch.change guests ok",
    "device.change guests ok",
    "timer.create tea ok",
    "timer.change tea ok",
    "scene.create evening ok",
    "scene.change evening ok",
    "scene.change evening ok",
    "group.create all ok",
    "group.change all ok",
    "mode.change nowhere refused",
    `rule.create ${RULE} ok`,
    `rule.read ${RULE} ok`,
    "scene.remove evening ok",
    "group.remove all ok",
    "timer.remove tea ok",
    "switch.remove guests ok",
    "area.remove attic ok",
    `rule.remove ${RULE} ok`,
  ]);
  expect(JSON.stringify(found)).not.toContain(PIN);
});

test("an answer that is not all has a link to the rest", async () => {
  const all = await entries("?limit=1000");
  const response = await hub.request("GET", "/system/audit?limit=2", { token: hub.adminToken });
  const [, next] = /^<\/api\/v1(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
  expect(((await response.json()) as Entry[]).map(({ id }) => id)).toEqual(all.slice(0, 2).map(({ id }) => id));
  const second = await hub.request("GET", String(next), { token: hub.adminToken });
  expect(((await second.json()) as Entry[])[0]?.id).toBe(all[2]?.id as number);
  const whole = await hub.request("GET", "/system/audit?limit=5000", { token: hub.adminToken });
  expect([whole.status, whole.headers.get("link")]).toEqual([200, null]);
});

test("commands to locks and alarms are logged, also in scenes and groups and without the PIN; those to lamps are not", async () => {
  await using plugin = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "zigbee" }).then(
    (client) => ({
      client,
      [Symbol.asyncDispose]: () => client.endAsync(),
    }),
  );
  for (const [device_id, device_type] of [
    ["door", "lock"],
    ["panel", "alarm_control_panel"],
    ["lamp", "light"],
  ]) {
    const registration = { device_id, plugin_id: "zigbee", name: device_id, device_type };
    await plugin.client.publishAsync("hub/plugins/zigbee/register", JSON.stringify(registration), { qos: 1 });
    await plugin.client.publishAsync(`hub/devices/${device_id}/availability`, "online", { qos: 1 });
  }
  await until(
    "they are available",
    async () =>
      ((await (await hub.request("GET", "/devices?available=true", { token: hub.adminToken })).json()) as unknown[])
        .length === 3,
  );
  const user = await hub.tokenFor("user");
  const last = await lastId();
  await act("PATCH", "/devices/door/state", { state: "UNLOCK", pin_code: PIN }, user);
  await act("PATCH", "/devices/lamp/state", { on: true }, user);
  await act("PATCH", "/devices/panel/state", { arm_mode: "disarm", code: PIN }, user);
  await act(
    "POST",
    "/scenes",
    { id: "leave", name: "Leave", states: { door: { state: "LOCK" }, lamp: { on: false } } },
    user,
  );
  await act("POST", "/scenes/leave/activate", undefined, user);
  await act("DELETE", "/scenes/leave", undefined, user);
  await act("POST", "/groups", { id: "way_out", name: "Way out", members: ["door", "lamp"] }, user);
  await act("PATCH", "/devices/way_out/state", { command: "lock" }, user);
  const found = (await entries(`?since=${last}`)).toReversed();
  expect(found.map(({ action, target, detail }) => [action, target, detail])).toEqual([
    ["device.command", "door", '{"state":"UNLOCK","pin_code":"•••"}'],
    ["device.command", "panel", '{"arm_mode":"disarm","code":"•••"}'],
    ["scene.create", "leave", "name: Leave"],
    ["scene.activate", "leave", ""],
    ["scene.remove", "leave", ""],
    ["group.create", "way_out", "name: Way out"],
    ["device.command", "way_out", '{"command":"lock"}'],
  ]);
  expect(found[0]?.actor).toMatchObject({ kind: "user", name: expect.stringContaining("user-") });
});

test("refused logins, at the API and at the broker", async () => {
  const body = { username: "admin", password: "not the password" };
  await hub.request("POST", "/auth/login", { body, headers: { "x-forwarded-for": "203.0.113.66" } });
  await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "a-typed-secret",
    password: "x",
    reconnectPeriod: 0,
  })
    .then((client) => client.endAsync())
    .catch(() => undefined);
  const [broker] = await until("the broker's is there", async () => {
    const found = await entries("?action=mqtt");
    return found.length > 0 ? found : undefined;
  });
  expect(broker).toMatchObject({ action: "mqtt.login", outcome: "refused", target: "(unknown)", address: "127.0.0.1" });
  const login = (await entries("?action=login")).find(({ outcome }) => outcome === "refused");
  expect(login).toMatchObject({ target: "admin", address: "203.0.113.66", actor: { kind: "nobody" }, count: 1 });
  const text = JSON.stringify(await entries("?limit=1000"));
  for (const secret of ["not the password", "a-typed-secret"]) expect(text).not.toContain(secret);
});

test("requests that a role does not allow are logged, repeated ones in one entry", async () => {
  const user = await hub.tokenFor("user");
  for (let tries = 0; tries < 5; tries++) await act("POST", `/rules/${RULE}/run`, undefined, user);
  await act("GET", "/auth/users?x=1", undefined, user);
  const found = await entries("?action=request");
  expect(found.filter(({ address }) => address === "203.0.113.20")).toMatchObject([
    { target: "GET /api/v1/auth/users", outcome: "refused", count: 1 },
    { target: `POST /api/v1/rules/${RULE}/run`, detail: "forbidden", count: 5, actor: { kind: "user" } },
  ]);
});

describe("who may read it", () => {
  runScenarios(
    () => hub,
    [
      { name: "a viewer may not", path: "/system/audit", as: "viewer", status: 403 },
      { name: "nor a user", path: "/system/audit", as: "user", status: 403 },
      { name: "nor a caller without a token", path: "/system/audit", as: "nobody", status: 401 },
      {
        name: "an administrator may",
        path: "/system/audit?limit=1&actor=admin",
        status: 200,
        contains: ['"name":"admin"'],
      },
      { name: "at least one", path: "/system/audit?limit=0", status: 400, contains: ["limit"] },
    ],
  );
});

test("it survives a restart, with the changes in between", async () => {
  using folder = createTemporaryFolder();
  let admin: TestHub["admin"] | undefined;
  /** What is logged while a hub runs in this home. */
  const life = async (): Promise<Entry[]> => {
    await using own = await startTestHub({ folder, ...(admin && { admin }) });
    admin = own.admin;
    return await entries("?limit=1000", own);
  };
  const [before] = await life();
  await Bun.write(folder.at("config", "hub.toml"), "# one\n");
  await life();
  await Bun.write(folder.at("config", "hub.toml"), "# another\n");
  const found = await life();
  expect(found).toContainEqual(before as Entry);
  expect(found.filter(({ action }) => action === "config.change")).toMatchObject([
    { target: "hub.toml", actor: { kind: "hub" } },
  ]);
});

test("a restore adds the archive's entries, and keeps those that this machine has logged since", async () => {
  using folder = createTemporaryFolder();
  const file = folder.at("house.zip");
  const { before, admin } = await beforeTheRestore(folder, file);
  const home = homeAt(folder.path);
  await restoreHome({ home, file, passphrase: undefined, schemas: databaseSchemas, now: Date.now() });
  for (let start = 0; start < 2; start++) {
    await using own = await startTestHub({ folder, admin });
    const after = await entries("?limit=1000", own);
    const names = (list: Entry[]) => list.map(({ action, target, at }) => `${at} ${action} ${target}`);
    expect(names(after)).toEqual(expect.arrayContaining(names(before)));
    const ofAction = (wanted: string) => after.filter(({ action }) => action === wanted);
    expect(ofAction("restore")).toMatchObject([{ actor: { kind: "hub" }, outcome: "ok" }]);
    expect(ofAction("user.create").filter(({ target }) => target === "intruder")).toHaveLength(1);
    expect(await (await own.request("GET", "/auth/users", { token: own.adminToken })).text()).not.toContain("intruder");
  }
});

/** A hub is backed up into a file, and then gets a user that the file does not have. */
async function beforeTheRestore(folder: TemporaryFolder, file: string) {
  await using own = await startTestHub({ folder });
  const token = own.adminToken;
  await own.request("PUT", "/variables/kept", { token, body: { value: 1 } });
  await own.request("DELETE", "/variables/kept", { token });
  await Bun.write(file, await (await own.request("POST", "/system/backup", { token })).arrayBuffer());
  const body = { username: "intruder", password: "of the intruder", role: "admin" };
  expect((await own.request("POST", "/auth/users", { token, body })).status).toBe(201);
  return { before: await entries("?limit=1000", own), admin: own.admin };
}
