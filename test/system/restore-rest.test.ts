// A restore over REST as those who use the hub live through it: clients of all kinds, another secret, a configuration that
// does not start, and a hub that is killed on the way.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LastRestore } from "../../src/copies/backup/restore/last-restore.ts";
import { downloadBackup, makeZip, readZip } from "../support/archives.ts";
import { freePort } from "../support/free-port.ts";
import { createHubPlace, type HubPlace, type HubSettings } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { soon, until } from "../support/wait.ts";

const beside = (place: HubPlace, name: string) => join(place.cwd, "..", name);

/** A free port; with `held`, one that is in use until it is disposed. */
function holdPort(): Disposable & { port: number } {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return { port: held.port, [Symbol.dispose]: () => held.stop(true) };
}
/** Settings under which a hub that restarts is found where it was. */
function fixedPorts(): HubSettings & { api: number; broker: number } {
  const [api, broker] = [freePort(), freePort()];
  return { api, broker, server: `port = ${api}`, mqtt: `port = ${broker}` };
}

async function startFixed(place: HubPlace, settings = fixedPorts()): Promise<HubProcess> {
  place.put("config/hub.toml", tomlOf(settings), 0o600);
  return place.start();
}

function tomlOf(
  { api, broker, toml = "" }: { api: number; broker: number; toml?: string },
  secret = "the old one ",
): string {
  return `[server]
host = "127.0.0.1"
port = ${api}
[auth]
jwt_secret = "${secret.repeat(4)}"
[mqtt]
port = ${broker}
[[mqtt.users]]
username = "tester"
password = "mqtt-password-of-the-tester"
publish = ["#"]
subscribe = ["#"]
${toml}`;
}

/** Fills the history, so that an archive takes a while. */
function fill(place: HubPlace, megabytes: number): void {
  using db = new Database(place.at("data", "history.db"));
  db.run("CREATE TABLE filler (x BLOB)");
  const insert = db.query("INSERT INTO filler VALUES (randomblob(1000000))");
  db.transaction(() => {
    for (let n = 0; n < megabytes; n++) insert.run();
  })();
}

async function report(hub: HubProcess, device: string): Promise<void> {
  const client = await hub.mqtt();
  await client.publishAsync(`hub/devices/${device}/state`, '{"n":1}', { qos: 1 });
  await until(`${device} is there`, async () => (await hub.request("GET", `/devices/${device}`)).status === 200);
}

/** The archive of what the hub is now, with another hub.toml in it. */
async function archiveWith(place: HubPlace, hub: HubProcess, hubToml: string): Promise<string> {
  const zip = beside(place, "own.zip");
  await downloadBackup(hub, zip);
  const state = beside(place, "state.redb");
  writeFileSync(state, Buffer.from(readZip(zip)["data/state.redb"] ?? "", "latin1"));
  const edited = beside(place, "edited.zip");
  makeZip(edited, [
    { name: "state.redb", from: state },
    { name: "config/hub.toml", content: hubToml },
  ]);
  return edited;
}

async function send(hub: HubProcess, zip: string): Promise<Response> {
  return fetch(`${hub.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${await hub.adminToken()}`, ...(await hub.confirmed()) },
    body: Bun.file(zip),
  });
}

const lastRestore = async (hub: HubProcess) =>
  (await hub.get<{ last_restore: LastRestore }>("/system/status")).last_restore;
const orphans = (place: HubPlace) => readdirSync(place.at("data")).filter((name) => /tmp|journal|before/.test(name));

test("clients of the event stream and of the broker are parted with properly, and find the hub where it was", async () => {
  await using place = createHubPlace();
  const hub = await startFixed(place);
  await report(hub, "kept");
  const zip = beside(place, "house.zip");
  await downloadBackup(hub, zip);
  await report(hub, "later");
  const stream = await hub.openStream();
  const gone = Promise.withResolvers<void>();
  const client = await hub.mqtt({ reconnectPeriod: 50 });
  client.on("close", () => gone.resolve());
  const seen: string[] = [];
  client.on("message", (_topic, payload) => void seen.push(payload.toString()));
  await client.subscribeAsync("hub/devices/+/set");
  const last = Math.max(0, ...stream.frames.map(({ seq }) => seq));

  expect((await send(hub, zip)).status).toBe(202);
  expect((await soon("the stream is closed", stream.closed)).code).toBe(1001);
  await soon("the broker lets the client go", gone.promise);
  await hub.said("the hub is up again");
  expect(hub.output.match(/the API answers .*?port=\d+/g)?.length).toBe(2);
  expect(await lastRestore(hub)).toMatchObject({ ok: true, error: null });
  expect((await hub.request("GET", "/devices/later")).status).toBe(404);
  // Both work on, with the same token and the same account; numbers of events are not given twice.
  const again = await hub.openStream();
  await until("the client is back", () => client.connected);
  await client.publishAsync("hub/devices/after/state", '{"n":2}', { qos: 1 });
  const frame = await again.frame("the device", ({ device_id }) => device_id === "after");
  expect(frame.seq).toBeGreaterThan(last);
  expect((await hub.request("GET", "/devices/kept")).status).toBe(200);
});

test("an archive that brings another jwt_secret ends the old tokens; its passwords count", async () => {
  await using place = createHubPlace();
  const settings = fixedPorts();
  const hub = await startFixed(place, settings);
  await hub.request("POST", "/auth/users", { body: { username: "anna", password: "a long password", role: "admin" } });
  const zip = await archiveWith(place, hub, tomlOf(settings, "another one "));
  await hub.request("DELETE", "/auth/users/anna");
  expect((await send(hub, zip)).status).toBe(202);
  await hub.said("the hub is up again");
  expect((await hub.request("GET", "/system/status")).status).toBe(401);
  const { token } = (await hub.login("anna", "a long password")).json<{ token: string }>();
  const status = await hub.request("GET", "/system/status", { token });
  expect(status.json()).toMatchObject({ last_restore: { ok: true, error: null } });
});

test("a configuration that cannot start: the hub goes back by itself, and says so", async () => {
  await using place = createHubPlace();
  const settings = fixedPorts();
  const hub = await startFixed(place, settings);
  await report(hub, "kept");
  using taken = holdPort();
  const zip = await archiveWith(place, hub, tomlOf({ ...settings, api: taken.port }));
  await report(hub, "later");
  place.put("rules/own.ron", '(id: "", name: "Own", trigger: ManualTrigger, actions: [LogMessage(message: "x")])');
  await hub.request("POST", "/auth/users", { body: { username: "anna", password: "a long password", role: "user" } });

  expect((await send(hub, zip)).status).toBe(202);
  await hub.said("the hub is up again");
  expect(hub.output).toContain("the hub does not start with what was changed; it goes back");
  const last = await lastRestore(hub);
  expect(last).toMatchObject({ ok: false, counts: null });
  expect(last.error).toContain(`was undone: port ${taken.port} is used by another program`);
  // What it was before, to the last.
  expect((await hub.request("GET", "/devices/later")).status).toBe(200);
  expect((await hub.login("anna", "a long password")).status).toBe(200);
  expect(existsSync(place.at("rules", "own.ron"))).toBe(true);
  expect(place.read("config", "hub.toml")).toContain(`port = ${settings.api}`);
  await report(hub, "after");
  // The way back is not locked: the same archive, made right, goes in.
  taken[Symbol.dispose]();
  const mended = await archiveWith(place, hub, tomlOf(settings));
  expect((await send(hub, mended)).status).toBe(202);
  await until("it is restored", async () => (await lastRestore(hub).catch(() => undefined))?.ok);
});

test("killed between the exchange and the start: the next start is the one that decides", async () => {
  await using place = createHubPlace();
  const settings = fixedPorts();
  let hub = await startFixed(place, settings);
  using taken = holdPort();
  const zip = await archiveWith(place, hub, tomlOf({ ...settings, api: taken.port }));
  await report(hub, "later");
  const state = () => JSON.parse(readFileSync(place.at("data", "last-restore.json"), "utf8")) as LastRestore;
  for (let round = 0; ; round++) {
    if (round > 20) throw new Error("never killed in time");
    expect((await send(hub, zip)).status).toBe(202);
    await until("they are exchanged", () => existsSync(place.at("data", "last-restore.json")), { everyMs: 0 });
    hub.kill("SIGKILL");
    await hub.exited;
    const caught = state().ok === null;
    if (caught) expect(place.read("config", "hub.toml")).toContain(`port = ${taken.port}`);
    hub = await place.start();
    expect(state()).toMatchObject({ ok: false, error: expect.stringContaining("was undone") });
    expect((await hub.request("GET", "/devices/later")).status).toBe(200);
    if (caught) break;
    Bun.spawnSync(["rm", place.at("data", "last-restore.json")]);
  }
});

test("killed between the exchange and a start that goes well: it is restored", async () => {
  await using place = createHubPlace();
  let hub = await startFixed(place);
  const zip = beside(place, "house.zip");
  await downloadBackup(hub, zip);
  await report(hub, "later");
  expect((await send(hub, zip)).status).toBe(202);
  await until("they are exchanged", () => existsSync(place.at("data", "last-restore.json")), { everyMs: 0 });
  hub.kill("SIGKILL");
  await hub.exited;
  hub = await place.start();
  expect(await lastRestore(hub)).toMatchObject({ ok: true, error: null });
  expect((await hub.request("GET", "/devices/later")).status).toBe(404);
});

test("what cannot be exchanged is refused before the hub stops", async () => {
  await using place = createHubPlace();
  const hub = await startFixed(place);
  const zip = beside(place, "house.zip");
  await downloadBackup(hub, zip);
  Bun.spawnSync(["mv", place.at("rules"), beside(place, "rules")]);
  Bun.spawnSync(["ln", "-s", beside(place, "rules"), place.at("rules")]);
  const answer = await send(hub, zip);
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({
    status: 507,
    text: expect.stringContaining("is a link: put the real one in its place"),
  });
  expect(orphans(place)).toEqual([]);
  expect(hub.output).not.toContain(": restarting");
  expect((await hub.request("POST", "/system/backup")).status).toBe(200);
});

test("a client that leaves while its archive is checked: the hub ends in a definite state, and the lock is free", async () => {
  await using place = createHubPlace();
  const hub = await startFixed(place);
  await hub.end();
  fill(place, 60);
  const again = await place.start();
  const zip = beside(place, "house.zip");
  await downloadBackup(again, zip);
  const leaving = new AbortController();
  const confirmed = await again.confirmed();
  const asked = fetch(`${again.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${await again.adminToken()}`, ...confirmed },
    body: Bun.file(zip),
    signal: leaving.signal,
  }).catch(() => undefined);
  await until("it is unpacked", () => existsSync(place.at("data", "restore.tmp", "new", "data", "history.db")), {
    everyMs: 2,
  });
  leaving.abort();
  expect(await asked).toBeUndefined();
  await until("it is over", () => orphans(place).every((name) => name.startsWith("before-restore-")), {
    timeoutMs: 20_000,
  });
  // It had been sent whole, so it counts.
  await again.said("the hub is up again");
  expect(await lastRestore(again)).toMatchObject({ ok: true });
  expect((await again.request("POST", "/system/backup")).status).toBe(200);
});

test("an archive of which nobody says how long it is, and that the disk has no room for", async () => {
  using disk = mountSmallDisk(60);
  await using place = createHubPlace({}, `${disk.path}/home`);
  place.put("bin/hub", "");
  const hub = await place.start();
  const token = await hub.adminToken();
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(crypto.getRandomValues(new Uint8Array(65_536)));
    },
  });
  const answer = await fetch(`${hub.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...(await hub.confirmed()) },
    body: endless,
    signal: AbortSignal.timeout(20_000),
  });
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({
    status: 507,
    text: expect.stringContaining("there is space for"),
  });
  await until("nothing is left", () => orphans(place).length === 0);
  expect((await hub.request("GET", "/auth/me", { token })).status).toBe(200);
});
