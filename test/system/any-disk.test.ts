// A hub whose disk takes nothing when it starts: it runs the house from what it can read, reports what is wrong and what to do,
// refuses changes, and goes back to the disk when that is well again. Needs root, for mounting.
import { expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { openMemoryCopy } from "../../src/server/db/memory-copy.ts";
import { stateMigrations } from "../../src/server/db/migrations/index.ts";
import { openDatabase } from "../../src/server/db/open.ts";
import { openStateDb } from "../../src/server/db/state-db.ts";
import { freePort } from "../support/free-port.ts";
import { giveAway, OWNER, startAsOwner } from "../support/home-owner.ts";
import { configText, createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const RULE = `id = "5f0f4a2e-8d6f-4a53-9a2a-3f1d0f9f1d11"
name = "Follow"
enabled = true
trigger = { type = "device_state_changed", device_id = "door", attribute = "open" }
actions = [
  { type = "set_hub_variable", name = "followed", value = true },
  { type = "set_device_state", device_id = "light", state = { on = true } },
  { type = "fire_event", event_type = "followed" },
]
`;
const health = async (hub: HubProcess) =>
  (await hub.request("GET", "/health", { token: null })).json<{ degraded: string[] }>();
const rename = (hub: HubProcess, name: string) => hub.request("PATCH", "/devices/door", { body: { name } });

/** A house with a device, a rule and a running timer, stopped. */
async function furnish(place: HubPlace): Promise<void> {
  // Else the executable alone would fill the disk.
  place.put("bin/hub", "");
  place.put("rules/follow.toml", RULE);
  await using hub = await place.start();
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: false }), { qos: 1 });
  await until("the door is there", async () => (await rename(hub, "Front door")).status === 200);
  expect((await hub.request("POST", "/timers", { body: { id: "egg", name: "Egg" } })).status).toBe(201);
  expect((await hub.request("POST", "/switches", { body: { id: "light", name: "Light" } })).status).toBe(201);
  const start = { body: { command: "start", duration_secs: 3600 } };
  expect((await hub.request("PATCH", "/devices/egg/state", start)).status).toBe(202);
  await hub.end();
}

async function runsTheHouse(hub: HubProcess, place: HubPlace, fault: string, kind: string): Promise<void> {
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
  expect(await hub.get("/devices/door")).toMatchObject({ name: "Front door", attributes: { open: false } });
  expect(await hub.get("/devices/egg")).toMatchObject({ attributes: { state: "started" } });
  const stream = await hub.openStream({ type: "device_state_changed,custom_followed" });
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: true }), { qos: 1 });
  await stream.frame("the door opens", ({ type }) => type === "device_state_changed");
  await stream.frame("the rule ran", ({ type }) => type === "custom_followed");
  expect(await hub.get("/devices/light")).toMatchObject({ attributes: { on: true } });
  await client.publishAsync("hub/devices/newcomer/state", JSON.stringify({ n: 1 }), { qos: 1 });
  await until("a new device is taken in", async () => (await hub.request("GET", "/devices/newcomer")).status === 200);
  expect((await hub.login("admin", "wrong")).status).toBe(401);
  const refused = await rename(hub, "Back door");
  expect({ status: refused.status, ...refused.json() }).toMatchObject({ status: 507, code: "storage", fault });
  expect((await health(hub)).degraded).toContain(kind);
  const alerts = await hub.get<{ kind: string; mend: string; until: string | null }[]>("/system/alerts");
  expect(alerts.find((alert) => alert.kind === kind)).toMatchObject({
    until: null,
    mend: expect.stringMatching(/\w{10,}|\w+ \w+ \w+/),
  });
}

async function goesBackToTheDisk(hub: HubProcess): Promise<void> {
  await hub.said("restarts from it");
  await hub.said("the hub is up again");
  expect((await rename(hub, "Side door")).status).toBe(200);
  expect(await hub.get("/devices/door")).toMatchObject({ attributes: { open: true } });
  expect(await hub.get("/devices/egg")).toMatchObject({ attributes: { state: "started" } });
  expect(await hub.get("/variables/followed")).toMatchObject({ value: true });
  expect(await hub.get("/devices/newcomer")).toMatchObject({ attributes: { n: 1 } });
  expect(await hub.get("/devices/light")).toMatchObject({ attributes: { on: true } });
  const [rule] = await hub.get<{ name: string; fire_count: number; last_fired_at: string | null }[]>("/rules");
  expect(rule).toMatchObject({ name: "Follow", fire_count: 2, last_fired_at: expect.any(String) });
  const audit = await hub.get<{ action: string; outcome: string }[]>("/system/audit");
  expect(audit).toContainEqual(expect.objectContaining({ action: "login", outcome: "refused" }));
}

const FAULTS: [string, string, (disk: SmallDisk) => void, (disk: SmallDisk) => void][] = [
  ["read_only", "disk_failing", (disk) => disk.readOnly(true), (disk) => disk.readOnly(false)],
  ["full", "disk_full", (disk) => disk.fill(), (disk) => disk.free()],
];

for (const [fault, kind, breakDisk, mend] of FAULTS) {
  test(`a disk that is ${fault.replace("_", "-")} at the start`, async () => {
    using disk = mountSmallDisk(8);
    // A fixed port, to find the hub again after it restarted.
    await using place = createHubPlace({}, `${disk.path}/home`);
    place.put("config/hub.toml", configText().replace("port = 0", `port = ${freePort()}`), 0o600);
    await furnish(place);
    breakDisk(disk);
    const hub = await place.start();
    await runsTheHouse(hub, place, fault, kind);
    mend(disk);
    await goesBackToTheDisk(hub);
    hub.kill("SIGTERM");
    expect(await hub.exited).toBe(0);
    await using again = await place.start();
    expect(await again.get("/devices/door")).toMatchObject({ name: "Side door", attributes: { open: true } });
  });

  test(`SIGTERM with a disk that is ${fault.replace("_", "-")} ends with 0 and says what is lost`, async () => {
    using disk = mountSmallDisk(8);
    await using place = createHubPlace({}, `${disk.path}/home`);
    await furnish(place);
    breakDisk(disk);
    const hub = await place.start();
    const client = await hub.mqtt();
    await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: true }), { qos: 1 });
    await until("the door is open", async () => {
      const { attributes } = await hub.get<{ attributes: { open: boolean } }>("/devices/door");
      return attributes.open;
    });
    hub.kill("SIGTERM");
    expect(await hub.exited).toBe(0);
    expect(hub.output).toMatch(/could not be kept.*device state/);
    expect(hub.output).not.toContain("\n    at ");
  });
}

test("a copy in memory that could not be written back is written by a later attempt", () => {
  using disk = mountSmallDisk(1);
  const path = `${disk.path}/state.redb`;
  // Of an older hub: the attempt that fails has brought the file up to date before.
  openDatabase({ path, migrations: stateMigrations.slice(0, -1), now: Date.now }).db.close();
  using copy = openMemoryCopy({ path, migrations: stateMigrations, now: Date.now });
  copy.accepting.run("INSERT INTO meta VALUES ('large', ?)", ["x".repeat(300_000)]);
  disk.fill();
  // Room for the log, but not for all of its pages.
  truncateSync(`${disk.path}/filler-0`, statSync(`${disk.path}/filler-0`).size - 120_000);
  expect(() => copy.writeBack()).toThrow(/full|disk I\/O/);
  expect(copy.changedTables()).toEqual(["meta"]);
  disk.free();
  copy.writeBack();
  using db = openStateDb(path, Date.now);
  expect(db.durable.query("SELECT length(value) AS n FROM meta").values()).toEqual([[300_000]]);
});

test("a lock file of another user does not keep the hub from starting, and keeps a second one out", async () => {
  await using place = createHubPlace();
  await furnish(place);
  writeFileSync(place.at("data", "hub.lock.pid"), "4242\n", { mode: 0o444 });
  chownSync(place.at("data", "hub.lock.pid"), 0, 0);
  chmodSync(place.at("data", "hub.lock"), 0o444);
  giveAway(place, /hub\.lock/);
  await using first = await startAsOwner(place);
  expect(place.read("data", "hub.lock.pid").trim()).toBe(String(first.pid));
  const second = await place.run(["serve"], { uid: OWNER });
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("another hub");
  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
});

test("a state database that is gone beside a history is a loss, not a new house", async () => {
  await using place = createHubPlace();
  await furnish(place);
  place.put("backups/hub-backup-2026-01-02T03-04-05Z.zip", "");
  for (const file of ["state.redb", "state.redb-wal", "state.redb-shm"])
    rmSync(place.at("data", file), { force: true });
  {
    const hub = await place.start();
    await hub.said("The state database of this house is missing or empty");
    expect(hub.output).toContain("hub-backup-2026-01-02T03-04-05Z.zip");
    expect(hub.output).not.toContain("password:");
    expect((await health(hub)).degraded).toContain("database_lost");
    hub.kill("SIGKILL");
    await hub.exited;
  }
  // Again at the next start: nobody has done anything about it yet.
  const hub = await place.start();
  expect(hub.output).not.toContain("password:");
  expect((await health(hub)).degraded).toContain("database_lost");
  const made = await place.run(["passwd", "admin"]);
  expect(made.code).toBe(0);
  const password = /^password: (\S+)$/m.exec(made.stdout)?.[1] ?? "";
  expect((await hub.login("admin", password)).status).toBe(200);
});

test("a damaged one is set aside and reported as well; rules copied into a new home are no loss", async () => {
  await using place = createHubPlace();
  await furnish(place);
  writeFileSync(place.at("data", "state.redb"), "SQLite format 3\0 and then nothing that SQLite knows".repeat(100));
  {
    await using hub = await place.start();
    await hub.said("was damaged; it is kept as");
    expect(hub.output).not.toContain("password:");
  }
  await using fresh = createHubPlace({ isEmpty: true });
  fresh.put("rules/follow.toml", RULE);
  await using hub = await fresh.start();
  expect(hub.output).toContain("password:");
  expect(existsSync(fresh.at("data", "state.redb"))).toBe(true);
  expect(await hub.get<unknown[]>("/system/alerts")).toEqual([]);
});
