// Restores by the compiled hub: moving house, over REST, by hand, undone, and killed at any moment. `bun run campaign restores` kills
// for longer.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askForBackup, downloadBackup, filesBelow, makeZip, readZip } from "../support/archives.ts";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../support/campaign.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const MIN_KILLS = 10;
const RULE = '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "x")])';
const beside = (place: HubPlace, name: string) => join(place.cwd, "..", name);

/** A house with something of each kind, and its archive. */
async function furnish(place: HubPlace, hub: HubProcess): Promise<string> {
  const client = await hub.mqtt();
  for (let n = 0; n < 5; n++) await client.publishAsync("hub/devices/meter/state", `{"n":${n}}`, { qos: 1 });
  await until("the meter is there", async () => (await hub.request("GET", "/devices/meter")).status === 200);
  await hub.request("PATCH", "/devices/meter", { body: { name: "Main meter" } });
  await hub.request("POST", "/auth/users", { body: { username: "anna", password: "a long password", role: "user" } });
  await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } });
  await hub.request("PATCH", "/devices/kettle/state", { body: { command: "start", duration_secs: 3600 } });
  place.put("rules/night.ron", RULE);
  await until("the rule is read", async () => (await hub.get<{ rules: number }>("/system/status")).rules === 1);
  const zip = beside(place, "house.zip");
  await downloadBackup(hub, zip);
  return zip;
}

test("moving house: logins, tokens, rules, history and running timers come along while A goes on", async () => {
  await using a = createHubPlace();
  const from = await a.start();
  const zip = await furnish(a, from);
  await using b = createHubPlace(null);
  const ran = await b.run(["restore", zip]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/devices +\d+ in the backup, +\d+ here: as in the backup/);
  expect(ran.stdout).not.toContain("DIFFERENT");
  const to = await b.start();
  expect(to.output).not.toContain("password:");
  expect((await to.login("anna", "a long password")).status).toBe(200);
  const token = await from.adminToken();
  const [there, here] = await Promise.all(
    [from, to].map(async (hub) => {
      const status = (await hub.request("GET", "/system/status", { token })).json();
      const { devices, rules, plugins } = status;
      return { devices, rules, plugins };
    }),
  );
  expect(here).toEqual(there as NonNullable<typeof there>);
  const kettle = (await to.request("GET", "/timers/kettle", { token })).json<{
    state: string;
    remaining_secs: number;
  }>();
  expect(kettle.state).toBe("started");
  expect(kettle.remaining_secs).toBeGreaterThan(3500);
  expect((await to.request("GET", "/devices/meter", { token })).json()).toMatchObject({ name: "Main meter" });
  const past = await to.request("GET", "/devices/meter/history?attribute=n", { token });
  expect(past.json<{ value: number }[]>().map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
  expect((await from.request("GET", "/health", { token: null })).status).toBe(200);
});

test("over REST the hub restarts in place with what was restored", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await furnish(place, hub);
  const token = await hub.adminToken();
  await hub.request("DELETE", "/devices/meter");
  await hub.request("DELETE", "/auth/users/anna");
  rmSync(place.at("rules", "night.ron"));
  const confirmed = await hub.confirmed();
  const send = (body: Blob | string, headers: Record<string, string> = {}) =>
    fetch(`${hub.api}/system/restore`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/zip", ...confirmed, ...headers },
      body,
    });
  const nonsense = await send("this is no zip at all, however one looks at it");
  expect({ status: nonsense.status, text: await nonsense.text() }).toMatchObject({ status: 400 });
  const damaged = readFileSync(zip);
  damaged[500] = (damaged[500] ?? 0) ^ 1;
  expect((await send(new Blob([damaged]))).status).toBe(400);
  expect((await hub.login("anna", "a long password")).status).toBe(401);
  expect(readdirSync(place.at("data")).filter((name) => name.includes(".tmp"))).toEqual([]);

  const answer = await send(Bun.file(zip));
  expect(answer.status).toBe(202);
  expect(await answer.json()).toMatchObject({ accepted: true, counts: { users: 2, rules: 1 } });
  await hub.said(/up again/);
  // The port was any free one, and may be another now.
  const port = [...hub.output.matchAll(/the API answers .*?port=(\d+)/g)].at(-1)?.[1];
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask("/devices/meter")).status).toBe(200);
  expect(await (await ask("/system/status")).json()).toMatchObject({
    last_restore: { ok: true, error: null, counts: { users: 2, rules: 1 } },
  });
  expect(existsSync(place.at("rules", "night.ron"))).toBe(true);
  await hub.end();
  const undone = await place.run(["restore", "--undo"]);
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining("brought back") });
  expect(existsSync(place.at("rules", "night.ron"))).toBe(false);
  const again = await place.start();
  expect((await again.request("GET", "/devices/meter", { token })).status).toBe(404);
});

test("a home whose hub runs is refused, and --dry-run changes nothing", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await furnish(place, hub);
  expect((await place.run(["restore", zip, "--dry-run"])).code).toBe(0);
  const refused = await place.run(["restore", zip]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("stop it first") });
  await hub.end();
  const before = filesBelow(place.home);
  const dry = await place.run(["restore", zip, "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing was changed") });
  expect(filesBelow(place.home)).toEqual(before);
});

test("placed by hand into a home whose hub was killed: its log does not meet the other database", async () => {
  await using a = createHubPlace();
  const from = await a.start();
  const zip = await furnish(a, from);
  const token = await from.adminToken();
  await from.end();
  await using b = createHubPlace();
  // Twice: the first start is the one in which the databases are made.
  for (let round = 0; round < 2; round++) {
    const killed = await b.start();
    const client = await killed.mqtt();
    for (let n = 0; n < 300; n++)
      await client.publishAsync(`hub/devices/b${n}/state`, JSON.stringify({ round, text: "x".repeat(300) }), {
        qos: 1,
      });
    await until("they are written", () => readFileSync(b.at("data", "state.redb-wal")).length > 100_000);
    killed.kill("SIGKILL");
    await killed.exited;
    expect(readFileSync(b.at("data", "state.redb-wal")).length).toBeGreaterThan(0);
    const files = readZip(zip);
    for (const name of ["data/state.redb", "data/history.db", "config/hub.toml"])
      writeFileSync(b.at(name), Buffer.from(files[name] ?? "", "latin1"));
    const hub = await b.start();
    expect(hub.output).toContain("set aside");
    expect(hub.output).not.toContain("damaged");
    expect((await hub.request("GET", "/devices/meter", { token })).json()).toMatchObject({ name: "Main meter" });
    const devices = (await hub.request("GET", "/devices", { token })).json<{ id: string }[]>();
    expect(devices.filter(({ id }) => /^b\d/.test(id))).toEqual([]);
    await hub.end();
    using db = new Database(b.at("data", "state.redb"), { readonly: true });
    expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  }
});

test("killed and not replaced: the log is the hub's own, and nothing is lost", async () => {
  await using place = createHubPlace();
  for (let round = 0; round < 3; round++) {
    const hub = await place.start();
    if (round > 0) expect((await hub.request("GET", `/auth/users`)).text).toContain(`user-${round - 1}`);
    await hub.request("POST", "/auth/users", {
      body: { username: `user-${round}`, password: "a long password", role: "user" },
    });
    hub.kill("SIGKILL");
    await hub.exited;
  }
  const hub = await place.start();
  expect(hub.output).not.toContain("set aside");
  for (let round = 0; round < 3; round++)
    expect((await hub.login(`user-${round}`, "a long password")).status).toBe(200);
});

test("another jwt_secret ends the old tokens, and the passwords stay", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await furnish(place, hub);
  const token = await hub.adminToken();
  await using other = createHubPlace(null);
  await other.run(["restore", zip]);
  const text = other.read("config", "hub.toml").replace(/jwt_secret = ".*"/, `jwt_secret = "${"another ".repeat(8)}"`);
  other.put("config/hub.toml", text, 0o600);
  const moved = await other.start();
  expect((await moved.request("GET", "/auth/me", { token })).status).toBe(401);
  expect((await moved.login("anna", "a long password")).status).toBe(200);
});

test("a disk without room refuses, and the home stays as it is", async () => {
  using disk = mountSmallDisk(30);
  await using place = createHubPlace({}, `${disk.path}/home`);
  place.put("bin/hub", "");
  const hub = await place.start();
  const zip = await furnish(place, hub);
  const token = await hub.adminToken();
  const confirmed = await hub.confirmed();
  disk.fill();
  const refused = await fetch(`${hub.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...confirmed },
    body: Bun.file(zip),
  });
  expect(refused.status).toBe(507);
  await hub.end();
  const ran = await place.run(["restore", zip]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/needs [\d.]+ MB of free space|free some space|disk/);
  disk.free();
  const again = await place.start();
  expect((await again.request("GET", "/auth/me", { token })).status).toBe(200);
  expect(readdirSync(place.at("data")).filter((name) => /tmp|before-restore/.test(name))).toEqual([]);
});

test("an archive in which the hub's own config is wrong is refused over REST", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  await using other = createHubPlace();
  other.put("config/hub.toml", "[server]\nport = 123456\n");
  const [db, toml] = [beside(place, "state.redb"), other.at("config", "hub.toml")];
  await hub.end();
  copyFileSync(place.at("data", "state.redb"), db);
  const again = await place.start();
  const zip = beside(place, "hand.zip");
  makeZip(zip, [
    { name: "state.redb", from: db },
    { name: "config/hub.toml", from: toml },
  ]);
  const answer = await fetch(`${again.api}/system/restore`, {
    method: "POST",
    headers: { authorization: `Bearer ${await again.adminToken()}`, ...(await again.confirmed()) },
    body: Bun.file(zip),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("server.port");
  expect((await askForBackup(again)).status).toBe(200);
});

/** Which of the two homes this is; throws where it is neither, or of both. */
function whichOf(place: HubPlace): "old" | "new" {
  using db = new Database(place.at("data", "state.redb"), { readonly: true });
  if ((db.query("PRAGMA integrity_check").get() as { integrity_check: string }).integrity_check !== "ok")
    throw new Error("the database is broken");
  const meter = db.query("SELECT name FROM devices WHERE id = 'meter'").get() !== null;
  const marks = [
    meter,
    existsSync(place.at("rules", "night.ron")),
    !place.read("config", "hub.toml").includes("# old"),
  ];
  if (new Set(marks).size !== 1) throw new Error(`a home of both kinds: ${marks}`);
  return meter ? "new" : "old";
}

test(
  "a kill during a restore leaves no broken home",
  async () => {
    await using a = createHubPlace();
    const from = await a.start();
    const zip = await furnish(a, from);
    await from.end();
    await using b = createHubPlace();
    b.put("config/hub.toml", `# old\n${b.read("config", "hub.toml")}`, 0o600);
    await b.layOut();
    const began = performance.now();
    expect((await b.run(["restore", zip])).code).toBe(0);
    const wholeMs = performance.now() - began;
    expect(whichOf(b)).toBe("new");
    expect((await b.run(["restore", "--undo"])).code).toBe(0);
    expect(whichOf(b)).toBe("old");
    const seen = { old: 0, new: 0, midway: 0 };
    const moments = randomOf("moments of kills");
    for (const round of rounds(MIN_KILLS)) {
      const child = Bun.spawn([b.binary, "restore", zip], {
        cwd: b.cwd,
        env: { PATH: process.env.PATH ?? "", HUB_HOME: b.home },
        stdout: "ignore",
        stderr: "ignore",
      });
      // Every other one as soon as the exchange has begun.
      if (round % 2 === 0) await Bun.sleep(moments.next() * wholeMs * 1.1);
      else while (child.exitCode === null && !existsSync(b.at("data", "restore.journal"))) await Bun.sleep(0);
      child.kill("SIGKILL");
      await child.exited;
      if (existsSync(b.at("data", "restore.journal"))) seen.midway++;
      // Whatever command comes next ends what was begun.
      if (round % 3 === 0) await (await b.start()).end();
      else expect(await b.run(["backup", "--home", b.home])).toMatchObject({ code: 0 });
      for (const name of readdirSync(b.cwd)) if (name.endsWith(".zip")) rmSync(join(b.cwd, name));
      const which = whichOf(b);
      seen[which]++;
      if (which === "new") expect((await b.run(["restore", "--undo"])).code).toBe(0);
      for (const name of readdirSync(b.at("data"))) {
        if (name.startsWith("before-restore") && which === "old") rmSync(b.at("data", name), { recursive: true });
        expect(name).not.toMatch(/^(restore\.journal|restore\.tmp|backup\.tmp)$/);
      }
      expect(whichOf(b)).toBe("old");
    }
    tried(
      `${seen.old + seen.new} kills of a restore, ${seen.midway} of them midway: ${seen.old} times the old house, ${seen.new} times the new one`,
    );
    expect(seen.old).toBeGreaterThan(0);
    expect(seen.new).toBeGreaterThan(0);
    await b.start();
  },
  { timeout: 80_000 + 2 * CAMPAIGN_MS, retry: 0 },
);
