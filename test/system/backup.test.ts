// Backups of the compiled hub: over REST and from the command line, while it works and when it is stopped.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askForBackup, downloadBackup, filesBelow, makeZip, readZip } from "../support/archives.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const RULE = '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "x")])';
const manifestOf = (zip: string) => JSON.parse(readZip(zip)["manifest.json"] ?? "") as Record<string, unknown>;
const nothingLeft = (place: HubPlace) => !existsSync(place.at("data", "backup.tmp"));

async function reports(hub: HubProcess, count: number): Promise<void> {
  const client = await hub.mqtt();
  for (let n = 0; n < count; n++) await client.publishAsync("hub/devices/meter/state", `{"n":${n}}`, { qos: 1 });
  await until("they arrived", async () => (await hub.get<unknown[]>("/devices")).length > 0);
}

/** Fills the history so that a backup takes a while. */
function fill(place: HubPlace, megabytes: number): void {
  using db = new Database(place.at("data", "history.db"));
  db.run("CREATE TABLE filler (x BLOB)");
  const insert = db.query("INSERT INTO filler VALUES (randomblob(1000000))");
  db.transaction(() => {
    for (let n = 0; n < megabytes; n++) insert.run();
  })();
}

test("over REST: the archive of a hub at work", async () => {
  await using place = createHubPlace();
  place.put("rules/night.ron", RULE);
  place.put("config/profiles/house.toml", "x = 1\n");
  place.put("plugins/sysmon/config/config.toml", 'password = "of the plugin"\n');
  const hub = await place.start();
  await reports(hub, 25);
  const zip = join(place.cwd, "..", "a.zip");
  const response = await downloadBackup(hub, zip);
  expect(response.headers.get("content-type")).toBe("application/zip");
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="hub-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip"$/,
  );
  const files = readZip(zip);
  expect(Object.keys(files)).toContain("config/profiles/house.toml");
  expect(files["rules/night.ron"]).toContain("Night");
  expect(Object.keys(files).filter((name) => !/^(data|config|rules)\//.test(name))).toEqual(["manifest.json"]);
  expect(JSON.stringify(files)).not.toContain("of the plugin");
  const { devices } = await hub.get<{ devices: number }>("/system/status");
  expect(manifestOf(zip)).toMatchObject({ format: 1, counts: { devices, rules: 1, users: 1 } });
  // What had just been reported, and was in no file yet, is in the snapshot.
  const copy = join(place.cwd, "..", "history.db");
  writeFileSync(copy, Buffer.from(files["data/history.db"] ?? "", "latin1"));
  using db = new Database(copy, { readonly: true });
  expect(db.query("SELECT count(*) AS n FROM history WHERE device_id = 'meter'").get()).toEqual({ n: 25 });
  expect(nothingLeft(place)).toBe(true);
  expect(await hub.get("/system/status")).toMatchObject({ last_backup: manifestOf(zip).created_at });
});

/** A house whose backup takes a while. */
const large = createHubPlace();
const LARGE_MB = 60;
let ofLarge: HubProcess | undefined;
beforeAll(async () => {
  await large.layOut();
  fill(large, LARGE_MB);
});
afterAll(() => large[Symbol.asyncDispose]());

/** Its hub, which runs until a test ends it. */
async function runningLarge(): Promise<HubProcess> {
  ofLarge ??= await large.start();
  return ofLarge;
}

async function endLarge(signal: NodeJS.Signals): Promise<number> {
  const ending = await runningLarge();
  ofLarge = undefined;
  ending.kill(signal);
  return ending.exited;
}

async function nextOneBegins(hub: HubProcess): Promise<void> {
  await until("the next one may begin", async () => {
    const next = await askForBackup(hub);
    await next.body?.cancel();
    return next.status === 200;
  });
  await until("nothing is left of that either", () => nothingLeft(large));
}

test("one at a time, for administrators, and a client that leaves leaves nothing", async () => {
  const hub = await runningLarge();
  await hub.request("POST", "/auth/users", { body: { username: "anna", password: "a long password", role: "user" } });
  const anna = (await hub.login("anna", "a long password")).json<{ token: string }>().token;
  expect((await hub.request("POST", "/system/backup", { token: anna })).status).toBe(403);
  expect((await hub.request("POST", "/system/backup", { token: null })).status).toBe(401);

  const leaving = new AbortController();
  const response = await askForBackup(hub, leaving.signal);
  const reader = response.body?.getReader();
  await reader?.read();
  const second = await hub.request("POST", "/system/backup");
  expect({ status: second.status, text: second.text }).toMatchObject({ status: 409 });
  expect(second.text).toContain("under way");
  const command = await large.run(["backup", join(large.cwd, "..", "b.zip")]);
  expect(command).toMatchObject({ code: 1, stderr: expect.stringContaining("under way") });
  expect(nothingLeft(large)).toBe(false);
  // Held until here: a reader that nobody has any more is collected, and that ends the download.
  expect(reader).toBeDefined();
  leaving.abort();
  await until("nothing is left", () => nothingLeft(large));
  await nextOneBegins(hub);
});

test("a client that leaves while the snapshots are taken", async () => {
  const hub = await runningLarge();
  const leaving = new AbortController();
  const asked = askForBackup(hub, leaving.signal).catch(() => undefined);
  await until("it has begun", () => existsSync(large.at("data", "backup.tmp", "history.db")), { everyMs: 2 });
  leaving.abort();
  await asked;
  await until("nothing is left", () => nothingLeft(large));
  await nextOneBegins(hub);
});

/** Of processor time, in user and system mode. */
function workedMs({ pid }: HubProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

/** All that it can do without its client is done. */
async function idle(hub: HubProcess): Promise<void> {
  await until("it has nothing to do", async () => {
    const before = workedMs(hub);
    await Bun.sleep(500);
    return workedMs(hub) - before < 100;
  });
}

test("a slow client is waited for, without memory", async () => {
  const hub = await runningLarge();
  const response = await askForBackup(hub);
  const reader = response.body?.getReader();
  await reader?.read();
  const rss = async () => (await hub.get<{ memory_bytes: number }>("/system/status")).memory_bytes;
  const before = await rss();
  await idle(hub);
  expect((await rss()) - before).toBeLessThan(40_000_000);
  expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
  let bytes = 0;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) bytes += next.value.length;
  expect(bytes).toBeGreaterThan(LARGE_MB * 950_000);
  await until("nothing is left", () => nothingLeft(large));
});

test("killed in the middle: the next start clears away", async () => {
  const response = await askForBackup(await runningLarge());
  await response.body?.getReader().read();
  await endLarge("SIGKILL");
  expect(nothingLeft(large)).toBe(false);
  await runningLarge();
  expect(nothingLeft(large)).toBe(true);
});

test("killed while one is made for the folder of backups: the next start clears away", async () => {
  const hub = await runningLarge();
  const parts = () =>
    (existsSync(large.at("backups")) ? readdirSync(large.at("backups")) : []).filter((name) => name.endsWith(".part"));
  const asked = hub.request("POST", "/system/backups").catch(() => undefined);
  await until("it is being written", () => parts().length > 0, { everyMs: 2 });
  await endLarge("SIGKILL");
  await asked;
  expect(parts()).toHaveLength(1);
  large.put("backups/house.zip.part", "somebody else's");
  await runningLarge();
  expect(parts()).toEqual(["house.zip.part"]);
  expect(nothingLeft(large)).toBe(true);
  rmSync(large.at("backups"), { recursive: true });
});

test("stopped in the middle: it ends in time, and nothing is left", async () => {
  const response = await askForBackup(await runningLarge());
  await response.body?.getReader().read();
  expect(await endLarge("SIGTERM")).toBe(0);
  expect(nothingLeft(large)).toBe(true);
});

test("from the command line, beside a running hub and without one", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  await reports(hub, 3);
  const folder = join(place.cwd, "..");
  const running = await place.run(["backup", join(folder, "running.zip")]);
  expect(running).toMatchObject({ code: 0, stdout: expect.stringContaining("read back and sound") });
  expect(statSync(join(folder, "running.zip")).mode & 0o777).toBe(0o600);
  expect((await place.run(["backup", join(folder, "running.zip")])).stderr).toContain("exists already");
  await hub.end();
  const stopped = await place.run(["backup"]);
  expect(stopped).toMatchObject({ code: 0 });
  const [made] = readdirSync(place.cwd).filter((name) => name.endsWith(".zip"));
  expect(manifestOf(join(place.cwd, made ?? ""))).toMatchObject({
    counts: manifestOf(join(folder, "running.zip")).counts,
  });
  // A stopped hub's home looks as it did.
  expect(readdirSync(place.at("data")).filter((name) => /-wal|-shm|tmp/.test(name))).toEqual([]);
  const nowhere = await place.run(["backup", "--home", join(folder, "nowhere")]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no hub in") });
});

/** Seven samples that are in the journal of readings, which checkpoints them once an hour. */
async function freshReadings(hub: HubProcess): Promise<{ token: string }> {
  const client = await hub.mqtt();
  for (let n = 1; n <= 7; n++)
    await client.publishAsync("hub/devices/meter/state", `{"n":${n},"pin":${n}}`, { qos: 1 });
  await until("they are in the journal", async () => {
    const { history } = await hub.get<{ history: { samples_recorded: number } }>("/system/status");
    return history.samples_recorded >= 7;
  });
  return { token: await hub.adminToken() };
}

/** What a hub says of the samples once it was restored; the token is from the house it was made of. */
async function restoredFrom(zip: string, login: { token: string }): Promise<object> {
  await using place = createHubPlace();
  expect(await place.run(["restore", zip])).toMatchObject({ code: 0 });
  await using hub = await place.start();
  const get = async <T>(path: string) => (await hub.request("GET", path, login)).json<T>();
  const samples = await get<{ attribute: string; value: unknown }[]>("/devices/meter/history");
  return {
    values: samples.filter(({ attribute }) => attribute === "n").map(({ value }) => value),
    pins: samples.filter(({ attribute }) => attribute === "pin").length,
    state: (await get<{ attributes: unknown }>("/devices/meter")).attributes,
  };
}

const SEVEN = { values: [1, 2, 3, 4, 5, 6, 7], pins: 0, state: { n: 7, pin: 7 } };
const WITHOUT_PINS = { toml: '[history]\nexclude = ["*/pin"]\n' };

test("the command's backup holds the last minutes of history, of a hub at work and of one that was killed", async () => {
  await using place = createHubPlace(WITHOUT_PINS);
  const hub = await place.start();
  const login = await freshReadings(hub);
  const [atWork, killed] = [join(place.cwd, "..", "at-work.zip"), join(place.cwd, "..", "killed.zip")];
  expect(await place.run(["backup", atWork])).toMatchObject({ code: 0, stderr: "" });
  hub.kill("SIGKILL");
  await hub.exited;
  expect(await place.run(["backup", killed])).toMatchObject({ code: 0, stderr: "" });
  for (const zip of [atWork, killed]) expect(await restoredFrom(zip, login)).toEqual(SEVEN);
  // The hub itself goes on as if nobody had looked.
  const again = await place.start();
  expect(await again.get<unknown[]>("/devices/meter/history")).toHaveLength(7);
});

test("where hub.toml cannot be read, the command says that it cannot know what to leave out of the history", async () => {
  await using place = createHubPlace(WITHOUT_PINS);
  const hub = await place.start();
  await freshReadings(hub);
  place.put("config/hub.toml", "[history\n");
  const ran = await place.run(["backup", join(place.cwd, "..", "a.zip")]);
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("the last hour of history") });
});

test("an archive made by hand of a killed hub's folder brings what was only in its journal", async () => {
  await using place = createHubPlace(WITHOUT_PINS);
  const hub = await place.start();
  const login = await freshReadings(hub);
  hub.kill("SIGKILL");
  await hub.exited;
  const zip = join(place.cwd, "..", "by-hand.zip");
  const names = [...filesBelow(place.home)].flatMap(([name, hash]) => (hash === "folder" ? [] : [name]));
  makeZip(
    zip,
    names.filter((name) => /^(data|config)\//.test(name)).map((name) => ({ name, from: place.at(name) })),
  );
  expect(await restoredFrom(zip, login)).toEqual(SEVEN);
});

test("too little space is refused with the numbers, before anything is written", async () => {
  using disk = mountSmallDisk(40);
  await using place = createHubPlace({}, `${disk.path}/home`);
  place.put("bin/hub", "");
  const hub = await place.start();
  disk.fill();
  const answer = await hub.request("POST", "/system/backup");
  expect(answer.status).toBe(507);
  expect(answer.json()).toMatchObject({
    needed_bytes: expect.any(Number),
    available_bytes: 0,
    folder: place.at("data"),
  });
  expect(answer.text).toMatch(/needs [\d.]+ MB of free space in .*: free \d+ MB there/);
  disk.free();
  const next = await askForBackup(hub);
  await next.arrayBuffer();
  expect(next.status).toBe(200);
});
