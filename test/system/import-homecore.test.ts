// Moving from homeCore with the compiled hub: the house is here afterwards; a dry run changes nothing; again, killed, refused.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, makeZip } from "../support/archives.ts";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../support/campaign.ts";
import {
  type FakeHomecore,
  HOMECORE_TOKEN,
  LIGHT_RULE,
  makeHomecoreBackup,
  SCENE,
  SCRIPT_RULE,
  smallHouse,
  startFakeHomecore,
} from "../support/fake-homecore.ts";
import { foreignPaths, giveAway, startAsOwner } from "../support/home-owner.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";

const beside = (place: HubPlace, name: string) => join(place.cwd, "..", name);
const env = { HOMECORE_TOKEN };

function filesOf(place: HubPlace): Map<string, string> {
  const files = filesBelow(place.home);
  // Empty, and laid down by the first command that needs it.
  files.delete("data/backup.lock");
  return files;
}

interface ImportJson {
  counts: Record<string, Record<string, number>>;
  entries: { kind: string; name: string; outcome: string; note?: string }[];
  logins: { username: string; password: string; role: string }[];
  kept: string | null;
}

async function runImport(place: HubPlace, old: FakeHomecore, ...more: string[]): Promise<ImportJson> {
  const ran = await place.run(["import", "homecore", "--url", old.url, "--json", ...more], { env });
  if (ran.code !== 0) throw new Error(`${ran.code}: ${ran.stderr}${ran.stdout}`);
  return JSON.parse(ran.stdout);
}

test("a house moves: devices, areas, scenes, rules, modes, timers, logins, history, settings and secrets", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  const done = await runImport(place, old, "--backup", zip);
  expect(done.counts.device).toMatchObject({ moved: 2, changed: 1, left: 1 });
  expect(done.counts.history).toMatchObject({ moved: 102, left: 2 });
  const hub = await place.start();
  expect(hub.output).not.toContain("password:");
  const password = (name: string) => done.logins.find(({ username }) => username === name)?.password ?? "";
  const login = await hub.login("admin", password("admin"));
  const token = login.json<{ token: string }>().token;
  const get = async <T>(path: string) => (await hub.request("GET", path, { token })).json<T>();

  expect(await get("/devices/hue_1")).toMatchObject({
    ...{ name: "Kitchen lamp", area: "kitchen", plugin_id: "plugin.hue", device_type: "light", model: "LCA001" },
    attributes: { on: true, brightness: 128 },
  });
  expect(await get("/devices/odd")).toMatchObject({ name: "Bell [31m tower" });
  expect(await get("/devices/yolink_door")).toMatchObject({ area: "Deck" });
  expect(await get("/areas")).toContainEqual(expect.objectContaining({ id: "living_room", name: "Living Room" }));
  expect(await get(`/scenes/${SCENE}`)).toMatchObject({ name: "Movie night", states: { hue_1: { brightness: 20 } } });
  const timer = await get<{ remaining_secs: number; state: string }>("/timers/timer_bath");
  expect(timer.state).toBe("started");
  expect(timer.remaining_secs).toBeGreaterThan(1700);
  expect(await get("/timers/timer_odd")).toMatchObject({ state: "expired" });
  expect(await get("/timers/timer_tea")).toMatchObject({ state: "expired" });
  expect(await get("/switches/switch_vacation")).toMatchObject({ on: true });
  expect(await get("/modes/mode_guests")).toMatchObject({ on: true, kind: "manual" });
  expect(await get("/modes/mode_night")).toMatchObject({ kind: "solar" });
  expect(await get("/variables/counter_door")).toMatchObject({ value: 42 });
  expect(await get(`/rules/${LIGHT_RULE}`)).toMatchObject({ file: "kitchen_light.ron", tags: ["While on holiday"] });
  expect(place.read("rules/scripted.ron")).toContain("enabled: false, priority");
  const users = await get<{ username: string; role: string }[]>("/auth/users");
  expect(users.map(({ username, role }) => `${username} ${role}`)).toEqual([
    "admin admin",
    "anna user",
    "grandma viewer",
  ]);
  expect((await hub.login("anna", password("anna"))).status).toBe(200);
  const history = await get<{ samples: unknown[] }>("/devices/hue_1/history?attribute=brightness&limit=1000");
  expect(JSON.stringify(history).match(/timestamp/g)).toHaveLength(100);

  const toml = place.read("config/hub.toml");
  expect(toml).toContain('prefix = "homecore"');
  for (const secret of ["password-of-zigbee", "pushover-application-token", "123456:telegram-bot-token"])
    expect(toml).toContain(secret);
  expect(toml).not.toContain("the-old-secret-of-homecore");
  expect(statSync(place.at("config/hub.toml")).mode & 0o777).toBe(0o600);
  expect(statSync(place.at("plugins/plugin.hue/config/config.toml")).mode & 0o777).toBe(0o600);
  using db = new Database(place.at("data/state.redb"), { readonly: true });
  expect(db.query("SELECT alias FROM devices WHERE id = 'hue_1'").get()).toEqual({ alias: "kitchen.lamp" });
});

test("what it prints names everything that did not move, with the reason, and no secret but the new passwords", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace(null);
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  const ran = await place.run(["import", "homecore", "--url", old.url, "--backup", zip], { env });
  expect(ran.stderr).toBe("");
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/devices +2 +1 +- +1\n/);
  for (const said of [
    "device Not possible here: its id cannot be one here",
    "rule Without a file: homeCore has no file of it",
    "it is switched off, because it runs a script",
    "user two words: the username must have",
    "group Doors: it has no members",
    "mode mode_movie: its criteria have no counterpart",
    "setting [influx]: not part of this hub's settings",
    'the API key "wall tablet": homeCore keeps only its fingerprint',
    "history 1 sample: older than 30 days",
    "plugin plugin.hue: copy its program to plugins/plugin.hue/bin/hc-hue",
    "hub restore --undo",
  ])
    expect(ran.stdout).toContain(said);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
  expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  for (const secret of ['hue-plugin"', "password-of", "pushover-", "telegram-bot", HOMECORE_TOKEN])
    expect(ran.stdout).not.toContain(secret);
});

test("a dry run changes no byte of the home, and makes none where there is none", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  await place.layOut();
  const before = filesOf(place);
  const done = await runImport(place, old, "--backup", zip, "--dry-run");
  expect(done.counts.device?.moved).toBe(2);
  expect(done.logins).toEqual([]);
  expect(filesOf(place)).toEqual(before);

  await using nowhere = createHubPlace(null);
  expect((await runImport(nowhere, old, "--dry-run")).counts.scene?.moved).toBe(1);
  expect(existsSync(nowhere.home)).toBe(false);
});

test("a second time nothing is doubled, and --undo brings back what was there", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  await place.layOut();
  const first = await runImport(place, old, "--backup", zip);
  const count = (done: ImportJson, outcome: string) =>
    Object.values(done.counts).reduce((sum, kind) => sum + (kind[outcome] ?? 0), 0);
  const files = filesOf(place);
  const second = await runImport(place, old, "--backup", zip);
  expect(count(second, "moved") + count(second, "changed")).toBe(0);
  expect(count(second, "left")).toBe(count(first, "left"));
  expect(second.kept).toBeNull();
  expect(filesOf(place)).toEqual(files);

  expect((await place.run(["restore", "--undo"])).code).toBe(0);
  expect(existsSync(place.at("rules/kitchen_light.ron"))).toBe(false);
  using db = new Database(place.at("data/state.redb"), { readonly: true });
  expect(db.query("SELECT id FROM devices WHERE id = 'hue_1'").get()).toBeNull();
});

test("what is here stays: names and settings of a person, rules of the same id, files of the same name", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace({
    toml: "[location]\nlatitude = 1.5\nlongitude = 2.5\n[battery]\nthreshold_pct = 33\n",
  });
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  place.put("rules/kitchen_light.ron", '(id: "mine", name: "Mine", trigger: ManualTrigger, actions: [])');
  const hub = await place.start();
  const client = await hub.mqtt();
  await client.publishAsync("hub/plugins/plugin.yolink/register", "{}", { qos: 1 });
  await hub.end();
  const done = await runImport(place, old, "--backup", zip);
  expect(place.read("config/hub.toml")).toContain("threshold_pct = 33");
  expect(place.read("config/hub.toml")).toContain("latitude = 1.5");
  expect(place.read("rules/kitchen_light.ron")).toContain("Mine");
  expect(readdirSync(place.at("rules")).filter((name) => name.endsWith(".ron"))).toHaveLength(3);
  expect(done.entries).toContainEqual(
    expect.objectContaining({
      name: "[battery] threshold_pct",
      outcome: "there",
      note: expect.stringContaining("stays"),
    }),
  );
  expect(done.entries).toContainEqual(expect.objectContaining({ kind: "user", name: "admin", outcome: "there" }));
  expect(done.entries.find(({ name }) => name.startsWith("Scripted"))?.outcome).toBe("changed");
  expect(SCRIPT_RULE).not.toBe(LIGHT_RULE);
});

test("pages of devices are all read", async () => {
  const house = smallHouse();
  house.devices = Array.from({ length: 1250 }, (_, n) => ({
    ...smallHouse().devices[1],
    device_id: `d${n}`,
    name: `D ${n}`,
  }));
  using old = startFakeHomecore(house);
  await using place = createHubPlace();
  expect((await runImport(place, old)).counts.device).toMatchObject({ moved: 1250 });
});

test("refused, with nothing changed and a word on what to do", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  await place.layOut();
  const zip = (name: string, entries: Parameters<typeof makeZip>[1]): string => {
    makeZip(beside(place, name), entries);
    return beside(place, name);
  };
  const before = filesOf(place);
  const refused = async (words: string, args: string[], token = HOMECORE_TOKEN) => {
    const ran = await place.run(["import", "homecore", ...args], { env: { HOMECORE_TOKEN: token } });
    expect(ran.stderr).toContain(words);
    if (token.trim() !== "") expect(ran.stderr).not.toContain(token);
    expect(ran.code).toBe(1);
    expect(filesOf(place)).toEqual(before);
  };
  const url = ["--url", old.url];
  await refused("refuses the token", url, "another-token");
  await refused("give the token of an administrator", url, " ");
  await refused("cannot reach homeCore", ["--url", "http://127.0.0.1:9"]);
  await refused("must be the address of homeCore", ["--url", "old:8080"]);
  await refused("must not hold a password", ["--url", "http://a:b@127.0.0.1:9"]);
  await refused("there is no file", [...url, "--backup", beside(place, "missing.zip")]);
  await refused("not a zip", [...url, "--backup", place.at("config/hub.toml")]);
  await refused("use `hub restore`", [...url, "--backup", zip("own.zip", [{ name: "manifest.json", content: "{}" }])]);
  await refused("not a backup of homeCore", [
    ...url,
    "--backup",
    zip("other.zip", [{ name: "photo.jpg", content: "x" }]),
  ]);
  await refused("history.db of the backup is not one", [
    ...[...url, "--backup"],
    zip("broken.zip", [{ name: "history.db", content: "SQLite format 3, or not" }]),
  ]);
  const spaces = beside(place, "spaces");
  writeFileSync(spaces, " ".repeat(5_000_000));
  const bomb = zip("bomb.zip", [{ name: "config/homecore.toml", from: spaces }]);
  await refused("is too large", [...url, "--backup", bomb]);

  old.instead.set("/auth/users", () => Response.json({ error: "forbidden" }, { status: 403 }));
  await refused("may not read /auth/users", url);
  old.instead.set("/auth/users", () => new Response("<html>", { status: 200 }));
  await refused("does not answer as homeCore does", url);
  old.instead.set("/auth/users", () => Response.redirect("http://127.0.0.1:9/", 302));
  await refused("leads to another address", url);
  old.instead.set("/auth/users", () => Response.json({ users: [] }));
  await refused("is not a list", url);
  old.instead.set("/devices", () => Response.json([{ id: "lamp", name: "Lamp" }]));
  await refused("a hub like this one", url);
});

test("not while the hub runs", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const hub = await place.start();
  const ran = await place.run(["import", "homecore", "--url", old.url], { env });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/another hub \(process \d+\) runs in .*: stop it first/);
  expect((await hub.get<unknown[]>("/devices")).length).toBeLessThan(3);
});

test("the token comes from standard input as well", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const ran = await place.run(["import", "homecore", "--url", `${old.url}/api/v1/`, "--token-stdin", "--dry-run"], {
    stdin: `${HOMECORE_TOKEN}\n`,
  });
  expect(ran.stderr).toBe("");
  expect(ran.code).toBe(0);
});

// A round takes some seconds: two imports, and the old house made anew.
const MIN_KILLS = 3;

test(
  "killed at any moment, the home is the old one or the new one, and the import can be repeated",
  async () => {
    using old = startFakeHomecore();
    const samples = 20_000;
    const moments = randomOf("moments of kills");
    let kills = 0;
    for (const round of rounds(MIN_KILLS)) {
      await using place = createHubPlace();
      const zip = beside(place, "old.zip");
      makeHomecoreBackup(zip, { samples, until: Date.now() - 60_000 });
      const child = Bun.spawn([place.binary, "import", "homecore", "--url", old.url, "--backup", zip], {
        env: { ...env, HUB_HOME: place.home },
        stdout: "ignore",
        stderr: "ignore",
      });
      // Spread over the whole run, which takes about a second.
      await Promise.race([child.exited, Bun.sleep(50 + (((round % MIN_KILLS) + moments.next()) * 900) / MIN_KILLS)]);
      child.kill("SIGKILL");
      await child.exited;
      const again = await runImport(place, old, "--backup", zip);
      const done = again.counts;
      expect((done.device?.moved ?? 0) + (done.device?.there ?? 0)).toBeGreaterThanOrEqual(2);
      expect(existsSync(place.at("data/restore.tmp"))).toBe(false);
      using db = new Database(place.at("data/history.db"), { readonly: true });
      expect(db.query("SELECT count(*) AS n FROM samples").get()).toEqual({ n: samples + 2 });
      using state = new Database(place.at("data/state.redb"), { readonly: true });
      expect(state.query("SELECT count(*) AS n FROM users").get()).toEqual({ n: 3 });
      kills = round + 1;
    }
    tried(`${kills} kills of an import`);
  },
  { timeout: 100_000 + 2 * CAMPAIGN_MS, retry: 0 },
);

test("a damaged database here is left to the hub, which sets it aside", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  await place.layOut();
  place.put("data/state.redb", "SQLite format 3\u0000 and nothing that follows");
  const before = filesOf(place);
  const ran = await place.run(["import", "homecore", "--url", old.url], { env });
  expect(ran.stderr).toContain("state.redb is damaged: start the hub once");
  expect(ran.code).toBe(1);
  expect(filesOf(place).get("data/state.redb")).toBe(before.get("data/state.redb"));
  expect(existsSync(place.at("data/restore.tmp"))).toBe(false);
});

test("after a hub that was killed, what it had written last comes along", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const hub = await place.start();
  await hub.request("POST", "/switches", { body: { id: "own", name: "My own" } });
  // In the journal of readings only, which goes into the databases once an hour.
  await (await hub.mqtt()).publishAsync("hub/devices/meter/state", '{"n":7}', { qos: 1 });
  await until("it is in the journal", async () => {
    const { history } = await hub.get<{ history: { samples_recorded: number } }>("/system/status");
    return history.samples_recorded > 0;
  });
  const token = await hub.adminToken();
  hub.kill("SIGKILL");
  await hub.exited;
  expect(existsSync(place.at("data/state.redb-wal"))).toBe(true);
  await runImport(place, old);
  using db = new Database(place.at("data/state.redb"), { readonly: true });
  expect(db.query("SELECT id FROM devices WHERE id IN ('own', 'hue_1') ORDER BY id").values()).toEqual([
    ["hue_1"],
    ["own"],
  ]);
  const again = await place.start();
  const get = async (path: string) => (await again.request("GET", path, { token })).json();
  expect(await get("/devices/meter")).toMatchObject({ attributes: { n: 7 } });
  expect(await get("/devices/meter/history")).toMatchObject([{ attribute: "n", value: 7 }]);
});

test("root imports into the home of a service's user, who owns all of it afterwards", async () => {
  using old = startFakeHomecore();
  await using place = createHubPlace();
  const zip = beside(place, "old.zip");
  makeHomecoreBackup(zip);
  chmodSync(zip, 0o600);
  await place.layOut();
  giveAway(place);
  await runImport(place, old, "--backup", zip);
  await place.run(["rules", "list"]);
  expect(foreignPaths(place)).toEqual([]);
  await using hub = await startAsOwner(place);
  expect((await hub.request("GET", "/devices/hue_1")).status).toBe(200);
});
