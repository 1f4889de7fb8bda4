// hub upgrade with real hubs of two versions, and with a service that does not answer. With a real systemd:
// test/interop/service.sh.
// Over 10 s: a hub of another version is compiled first.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createUpgradeCommand } from "../../src/app/cli/upgrade.ts";
import { type Clock, systemClock } from "../../src/kit/time/clock.ts";
import { knownIds } from "../../src/server/db/known-ids.ts";
import { createFakeMachine } from "../support/fake-machine.ts";
import { freePort } from "../support/free-port.ts";
import { configText, createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { otherHub } from "../support/other-hub.ts";
import { createTestPlatform } from "../support/platform.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const STOP = "systemctl stop hub.service";
const builds = createTemporaryFolder();
const NEXT_VERSION = "99.1.0";
let NEXT: string;

beforeAll(async () => {
  NEXT = await otherHub(NEXT_VERSION);
});
afterAll(() => builds[Symbol.dispose]());

async function versionIn(place: HubPlace, name: string): Promise<string> {
  const child = Bun.spawn([place.at("bin", name), "version"], { stdout: "pipe", env: {} });
  return (await new Response(child.stdout).text()).split(" ")[1] ?? "";
}

test("the new executable takes the place of the old one, which is kept, and back again", async () => {
  await using place = createHubPlace();
  await place.layOut();
  const own = await versionIn(place, "hub");
  const up = await place.run(["upgrade", NEXT]);
  expect(up).toMatchObject({ code: 0, stdout: expect.stringContaining(`${own} → ${NEXT_VERSION}`) });
  expect([await versionIn(place, "hub"), await versionIn(place, "hub.previous")]).toEqual([NEXT_VERSION, own]);
  expect(statSync(place.at("bin", "hub")).mode & 0o111).toBe(0o111);
  // The database follows, so there is no silent way back.
  const down = await place.run(["upgrade", place.binary]);
  expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") });
  expect(await place.run(["upgrade", NEXT])).toMatchObject({ code: 0, stdout: expect.stringContaining("already") });
  expect((await place.run(["upgrade", "--rollback"])).code).toBe(0);
  expect([await versionIn(place, "hub"), await versionIn(place, "hub.previous")]).toEqual([own, NEXT_VERSION]);
  expect((await place.run(["upgrade", "--rollback"])).code).toBe(0);
  expect((await place.run(["upgrade", "--force", place.binary])).code).toBe(0);
  expect(await versionIn(place, "hub")).toBe(own);
  expect(readdirSync(place.at("bin")).sort()).toEqual(["hub", "hub.previous"]);
});

test("a file that was downloaded needs no right to be executed", async () => {
  await using place = createHubPlace();
  await place.run(["init"]);
  const download = builds.at("download");
  copyFileSync(NEXT, download);
  // The mode of what is not executable.
  Bun.spawnSync(["chmod", "644", download]);
  expect((await place.run(["upgrade", download])).code).toBe(0);
  expect(await versionIn(place, "hub")).toBe(NEXT_VERSION);
});

test("what cannot replace the hub is refused with the reason, and nothing is changed", async () => {
  await using place = createHubPlace();
  await place.run(["init"]);
  const before = readFileSync(place.at("bin", "hub"));
  const elf = (machine: number): Buffer => {
    const header = Buffer.alloc(64);
    header.writeUInt32BE(0x7f454c46, 0);
    header.writeUInt16LE(machine, 18);
    return header;
  };
  const files: [string, string | Buffer, RegExp][] = [
    ["page", "<!doctype html><title>404</title>", /is not a program.*sha256sum/],
    ["empty", "", /is not a program/],
    ["pi", elf(process.arch === "arm64" ? 62 : 183), /built for linux-(x64|arm64), and this machine is linux/],
    ["pi-32", elf(40), /built for linux-arm, and/],
    ["mac", Buffer.from("cffaedfe0c000001".padEnd(64, "0"), "hex"), /built for darwin-arm64/],
    ["cut", readFileSync(NEXT).subarray(0, 200_000), /does not print the version of a hub/],
  ];
  for (const [name, content, reason] of files) {
    writeFileSync(builds.at(name), content);
    const { code, stderr } = await place.run(["upgrade", builds.at(name)]);
    expect({ name, code, stderr }).toEqual({ name, code: 1, stderr: expect.stringMatching(reason) });
    expect(stderr).toContain(builds.at(name));
  }
  const others: [string[], RegExp][] = [
    [["/bin/true"], /does not print the version of a hub/],
    [[builds.at("absent")], /there is no file/],
    [[builds.path], /is not a file/],
    [[], /hub upgrade FILE/],
    [["--rollback"], /to go back to/],
    [["--rollback", NEXT], /either/],
  ];
  for (const [words, reason] of others)
    expect(await place.run(["upgrade", ...words])).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
  expect(readFileSync(place.at("bin", "hub")).equals(before)).toBe(true);
  expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
  rmSync(place.at("bin", "hub"));
  expect((await place.run(["upgrade", NEXT])).stderr).toContain("there is no hub in");
});

test("a newer hub brings its own files up to its version, and leaves what a person changed", async () => {
  await using place = createHubPlace();
  await place.layOut();
  const [bundle, example] = ["plugins/sysmon/bin/sysmon.js", "rules/examples/good-morning.toml"];
  const brought = place.read(bundle);
  // As an older hub would have left it.
  place.put(bundle, "// an older bundle");
  const list = JSON.parse(place.read("data/assets.json"));
  list.laid[bundle] = new Bun.CryptoHasher("sha256").update("// an older bundle").digest("hex");
  place.put("data/assets.json", JSON.stringify(list));
  place.put(example, "# mine");
  const outputOf = async (): Promise<string> => {
    const hub = await place.start();
    await hub.end();
    return hub.output;
  };
  const first = await outputOf();
  expect(first).toMatch(/changed by hand.*good-morning\.toml/);
  expect(first).toMatch(/updated to this version .*sysmon\.js/);
  expect(place.read(bundle)).toBe(brought);
  expect(place.read(example)).toBe("# mine");
  const second = await outputOf();
  expect(second).not.toContain("brought up");
  expect(second).not.toContain("changed by hand");
});

/** A home whose service is what `restart` makes of it: a server that answers as a hub of some version, or nothing. */
function createServiceScene(answersAs: (restarts: number, home: string) => string | undefined) {
  const folder = createTemporaryFolder();
  const home = folder.at("srv", "hub");
  const clock = createHurriedClock();
  const platform = createTestPlatform(clock);
  let server: ReturnType<typeof Bun.serve> | undefined;
  let restarts = 0;
  const port = freePort();
  const restart = async () => {
    await server?.stop(true);
    const version = answersAs(++restarts, home);
    const fetch = () => Response.json({ status: "ok", version, uptime_secs: 0 });
    server = version === undefined ? undefined : Bun.serve({ port, hostname: "127.0.0.1", fetch });
    return {};
  };
  const show = `LoadState=loaded\nActiveState=active\nMainPID=7\nEnvironment=HUB_HOME=${home} A=b\n`;
  // The executables say their version themselves.
  const says = ([file = ""]: readonly string[]) => ({ stdout: readFileSync(file).subarray(-64).toString().trim() });
  const machine = createFakeMachine({
    unitFolder: folder.at("units"),
    answers: { "systemctl show": { stdout: show }, "systemctl restart": restart, [home]: says },
  });
  const program = (version: string): Buffer =>
    Buffer.concat([readFileSync("/bin/true"), Buffer.from(`hub ${version} (Bun 1.4.5, here)`.padStart(64))]);
  mkdirSync(join(home, "bin"), { recursive: true });
  mkdirSync(join(home, "config"));
  const toml = configText().replace("port = 0", `port = ${port}`);
  writeFileSync(join(home, "config", "hub.toml"), toml, { mode: 0o600 });
  writeFileSync(join(home, "bin", "hub"), program("1.0.0"), { mode: 0o755 });
  writeFileSync(folder.at("new"), program("1.1.0"));
  mkdirSync(join(home, "data"));
  using db = new Database(join(home, "data", "state.redb"));
  db.run("CREATE TABLE users (id TEXT)");
  db.run("CREATE TABLE devices (id TEXT)");
  db.run("INSERT INTO devices VALUES ('lamp')");
  const run = (isRoot = true) =>
    createUpgradeCommand(machine).run({
      positionals: [folder.at("new")],
      options: { home },
      io: {
        platform,
        execPath: join(home, "bin", "hub"),
        compiled: true,
        isRoot,
        readStdin: async () => "",
        stopRequested: () => new Promise<string>(() => {}),
        onCrash() {},
      },
    });
  return {
    platform,
    clock,
    machine,
    run,
    devices: () => [...(knownIds(join(home, "data", "state.redb"), "devices") ?? [])],
    keeps: () => existsSync(join(home, "data", "before-upgrade")),
    installed: () => readFileSync(join(home, "bin", "hub")).equals(program("1.1.0")),
    previous: () => existsSync(join(home, "bin", "hub.previous")),
    async [Symbol.asyncDispose]() {
      await server?.stop(true);
      folder[Symbol.dispose]();
    },
  };
}

/** A clock on which a minute passes in six tenths of a second: what is waited for are real sockets. */
function createHurriedClock(): Clock {
  const times = 100;
  return {
    ...systemClock,
    mono: () => systemClock.mono() * times,
    after: (name, ms, fn) => systemClock.after(name, ms / times, fn),
    every: (name, ms, fn) => systemClock.every(name, ms / times, fn),
  };
}

test("a service is restarted, and the new hub stays when it answers with its version", async () => {
  await using scene = createServiceScene(() => "1.1.0");
  expect(await scene.run()).toBe(0);
  expect(scene.machine.changes).toEqual([STOP, "systemctl reset-failed hub.service", "systemctl restart hub.service"]);
  expect({ installed: scene.installed(), previous: scene.previous() }).toEqual({ installed: true, previous: true });
  expect({ devices: scene.devices(), keeps: scene.keeps() }).toEqual({ devices: ["lamp"], keeps: true });
  expect(scene.platform.stdout.text).toContain("the hub runs: 1.0.0 → 1.1.0");
});

test("when it does not answer for a minute, or another version answers, the previous one runs again", async () => {
  for (const instead of [undefined, "1.0.0"]) {
    await using scene = createServiceScene((restarts) => (restarts === 1 ? instead : "1.0.0"));
    const begun = scene.clock.mono();
    await expect(scene.run()).rejects.toThrow("the previous version runs again");
    expect(scene.clock.mono() - begun).toBeGreaterThanOrEqual(60_000);
    expect(scene.machine.changes).toEqual([
      STOP,
      "systemctl reset-failed hub.service",
      "systemctl restart hub.service",
      STOP,
      "systemctl reset-failed hub.service",
      "systemctl restart hub.service",
    ]);
    expect({ installed: scene.installed(), previous: scene.previous() }).toEqual({ installed: false, previous: false });
  }
});

const HARM: Readonly<Record<string, (stateDb: string) => void>> = {
  "writes over the database": (stateDb) => writeFileSync(stateDb, "this was a database"),
  "forgets the devices": (stateDb) => {
    using db = new Database(stateDb);
    db.run("DELETE FROM devices");
  },
};

for (const [harm, work] of Object.entries(HARM))
  test(`one that ${harm} goes, and the databases are what they were`, async () => {
    await using scene = createServiceScene((restarts, home) => {
      if (restarts > 1) return "1.0.0";
      work(join(home, "data", "state.redb"));
      return "1.1.0";
    });
    await expect(scene.run()).rejects.toThrow("the previous version runs again");
    expect({ installed: scene.installed(), devices: scene.devices(), keeps: scene.keeps() }).toEqual({
      installed: false,
      devices: ["lamp"],
      keeps: false,
    });
    expect(scene.platform.stderr.text).toMatch(
      /1\.0\.0 runs again, with its databases as they were at .* is not in them/,
    );
  });

test("when neither answers, the error says so of both", async () => {
  await using scene = createServiceScene(() => undefined);
  await expect(scene.run()).rejects.toThrow(/does not answer either.*journalctl/);
  expect(scene.installed()).toBe(false);
});

test("a service is root's to restart, so nothing is changed for others", async () => {
  await using scene = createServiceScene(() => "1.1.0");
  await expect(scene.run(false)).rejects.toThrow("sudo");
  expect({ installed: scene.installed(), changes: scene.machine.changes }).toEqual({ installed: false, changes: [] });
});
