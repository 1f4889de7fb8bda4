// `sudo hub restore` in a home of another user, as that of a service: the owner can use everything afterwards.
// Needs root, and setpriv.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { downloadBackup } from "../support/archives.ts";
import { foreignPaths, giveAway, OWNER, outside, startAsOwner, startScript } from "../support/home-owner.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const RULE = '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "x")])';
/** A house with some state that root's hub ran, and its archive: each test has a copy of both. */
const model = createHubPlace();
const modelZip = outside(model, "house.zip");
beforeAll(async () => {
  model.put("rules/night.ron", RULE);
  const hub = await model.start();
  await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } });
  await downloadBackup(hub, modelZip);
  await hub.end();
});
afterAll(() => model[Symbol.asyncDispose]());

/** A stopped hub of the owner's with some state, and its archive, which only root may read. */
async function furnish(place: HubPlace): Promise<string> {
  cpSync(model.home, place.home, { recursive: true, filter: (path) => path !== model.at("bin") });
  await place.layOut();
  place.admin = model.admin;
  giveAway(place);
  const zip = outside(place, "house.zip");
  copyFileSync(modelZip, zip);
  chmodSync(zip, 0o600);
  return zip;
}

/** Whether the owner's hub can do everything there. */
async function worksFor(place: HubPlace): Promise<void> {
  await using hub = await startAsOwner(place);
  expect((await hub.request("GET", "/timers/kettle")).status).toBe(200);
  expect((await hub.request("POST", "/timers", { body: { id: "oven", name: "Oven" } })).status).toBe(201);
  expect(await hub.get("/system/status")).toMatchObject({ last_restore: { ok: true }, rules: 1, problems: [] });
  const zip = outside(place, "again.zip");
  await downloadBackup(hub, zip);
  await hub.request("DELETE", "/timers/oven");
  const answer = await fetch(`${hub.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${await hub.adminToken()}`, ...(await hub.confirmed()) },
    body: Bun.file(zip),
  });
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 202 });
  await hub.said("the hub is up again");
  // The port was any free one, and may be another now.
  const port = [...hub.output.matchAll(/the API answers .*?port=(\d+)/g)].at(-1)?.[1];
  const headers = { authorization: `Bearer ${await hub.adminToken()}` };
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/timers/oven`, { headers })).status).toBe(200);
  await hub.end();
  expect(foreignPaths(place)).toEqual([]);
}

test("by root in the home of another user: everything belongs to the owner, who can use it", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  // Also files that no hub has created yet, or that somebody removed.
  for (const name of ["hub.lock", "backup.lock", "last-backup.json"]) rmSync(place.at("data", name), { force: true });
  expect(await place.run(["restore", zip, "--dry-run"])).toMatchObject({ code: 0 });
  expect(foreignPaths(place)).toEqual([]);
  expect(await place.run(["restore", zip])).toMatchObject({ code: 0, stderr: "" });
  expect(foreignPaths(place)).toEqual([]);
  expect(await place.run(["restore", "--undo"])).toMatchObject({ code: 0 });
  expect(foreignPaths(place)).toEqual([]);
  expect((await place.run(["restore", startScript(place)])).stderr).toContain("it is not a zip");
  expect(foreignPaths(place)).toEqual([]);
  expect((await place.run(["restore", zip])).code).toBe(0);
  await worksFor(place);
});

test("into a folder of the owner's in which there is no home yet", async () => {
  await using from = createHubPlace();
  const zip = await furnish(from);
  await using place = createHubPlace(null);
  giveAway(place);
  expect(await place.run(["restore", zip])).toMatchObject({ code: 0 });
  expect(foreignPaths(place)).toEqual([]);
  place.admin = from.admin;
  await worksFor(place);
});

test("killed at any moment, it leaves nothing that its owner cannot use", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  let midway = 0;
  for (let round = 0; round < 6; round++) {
    const child = Bun.spawn([place.binary, "restore", zip], {
      cwd: place.cwd,
      env: { PATH: process.env.PATH ?? "", HUB_HOME: place.home },
      stdout: "ignore",
      stderr: "ignore",
    });
    const begun = round % 2 === 0 ? "restore.tmp" : "restore.journal";
    await until("it has begun, or is over", () => existsSync(place.at("data", begun)) || child.exitCode !== null, {
      everyMs: 0,
    });
    child.kill("SIGKILL");
    await child.exited;
    expect(foreignPaths(place)).toEqual([]);
    if (existsSync(place.at("data", begun))) midway++;
    await using hub = await startAsOwner(place);
    expect((await hub.request("POST", "/system/backup")).status).toBe(200);
    await hub.end();
    expect(foreignPaths(place)).toEqual([]);
  }
  expect(midway).toBeGreaterThan(0);
});

test("a killed restore that root's next command finishes leaves everything to the owner, too", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  const name = "before-restore-0001-2026-11-21T03-00-00Z";
  mkdirSync(place.at("data", "restore.tmp", "new", "rules"), { recursive: true });
  copyFileSync(place.at("rules", "night.ron"), place.at("data", "restore.tmp", "new", "rules", "other.ron"));
  const journal = {
    ...{ version: 1, at: "2026-11-21T03:00:00Z", units: ["rules"], kept: `data/${name}`, spent: "data/restore.tmp" },
    keep: [{ from: "rules", to: `data/${name}/rules` }],
    place: [{ from: "data/restore.tmp/new/rules", to: "rules" }],
  };
  place.put("data/restore.journal", JSON.stringify(journal), 0o600);
  giveAway(place);
  const ran = await place.run(["restore", zip, "--dry-run"]);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("finished a restore that had been interrupted"),
  });
  expect(readdirSync(place.at("rules"))).toEqual(["other.ron"]);
  expect(foreignPaths(place)).toEqual([]);
});

test("links that the owner has put there do not lead root elsewhere", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  const secret = outside(place, "root-only");
  writeFileSync(secret, "root's own", { mode: 0o600 });
  for (const name of ["backup.lock", "hub.lock", "last-restore.json", "hub.lock.pid"]) {
    rmSync(place.at("data", name), { force: true });
    symlinkSync(secret, place.at("data", name));
    await place.run(["restore", zip]);
    expect([name, statSync(secret).uid, readFileSync(secret, "utf8")]).toEqual([name, 0, "root's own"]);
    rmSync(place.at("data", name), { force: true });
  }
});

test("a folder of root's in that home is reported before anything is replaced", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  chownSync(place.at("rules"), 0, 0);
  chmodSync(place.at("rules"), 0o755);
  const ran = await place.run(["restore", zip]);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`${place.at("rules")} cannot be written`) });
  expect(readdirSync(place.at("data")).filter((name) => /tmp|journal|before/.test(name))).toEqual([]);
  chownSync(place.at("rules"), OWNER, OWNER);
  expect((await place.run(["restore", zip])).code).toBe(0);
});

test("a lock file of root's stops the owner, rather than keeping nobody out", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  chownSync(place.at("data", "backup.lock"), 0, 0);
  chmodSync(zip, 0o644);
  for (const args of [
    ["backup", place.at("own.zip")],
    ["restore", zip],
    ["restore", zip, "--dry-run"],
  ]) {
    const ran = await place.run(args, { uid: OWNER });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot write .*backup\.lock: give it/) });
  }
});

test("a user who may not write the home gets a reason, and nothing is changed", async () => {
  await using place = createHubPlace();
  const zip = await furnish(place);
  chmodSync(zip, 0o644);
  const ran = await place.run(["restore", zip], { uid: 65533 });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/^hub: cannot (read|lock|work in|create)/) });
  expect(foreignPaths(place)).toEqual([]);
  chmodSync(zip, 0o600);
  const unreadable = await place.run(["restore", zip], { uid: OWNER });
  expect(unreadable).toMatchObject({ code: 1, stderr: expect.stringContaining(`cannot read ${zip}`) });
});

test("a disk that is mounted read-only", async () => {
  using disk = mountSmallDisk(60);
  await using place = createHubPlace({}, `${disk.path}/home`);
  place.put("bin/hub", "");
  const hub = await place.start();
  const zip = outside(place, "house.zip");
  await downloadBackup(hub, zip);
  await hub.end();
  const before = readdirSync(place.at("data")).sort();
  expect(Bun.spawnSync(["mount", "-o", "remount,ro", disk.path]).success).toBe(true);
  for (const args of [
    ["restore", zip],
    ["restore", zip, "--dry-run"],
    ["restore", "--undo"],
  ]) {
    const ran = await place.run(args);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^hub: cannot (lock|write) .*(read-?only|for writing)/i),
    });
  }
  expect(readdirSync(place.at("data")).sort()).toEqual(before);
  const nowhere = await place.run(["restore", zip, "--home", `${disk.path}/another`]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("name a folder that can be written") });
  Bun.spawnSync(["mount", "-o", "remount,rw", disk.path]);
  expect((await place.run(["restore", zip])).code).toBe(0);
});
