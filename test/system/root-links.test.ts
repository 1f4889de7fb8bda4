// Root's commands in a home of another user: root neither reads nor writes what the owner's links lead to, and runs none of the
// owner's programs as root. Needs root, and setpriv.
import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { foreignPaths, giveAway, OWNER, outside } from "../support/home-owner.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { spawnHub } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const SECRET = "root:of-nobody-else";
/** Keeps only the home's own folder root's. */
const ROOT_FOLDER = /^$/;

interface Scene extends AsyncDisposable {
  place: HubPlace;
  /** A file and a folder that are root's alone, and the state database of another hub. */
  secret: string;
  folder: string;
  otherDb: string;
  /** Replaces a path by a link of the owner. */
  plant(path: string, target: string): void;
  /** Throws unless all files of root are as they were, and the output shows nothing of them. */
  untouched(said: string): void;
}

/** A home in which a hub has run, and which belongs to the owner now. */
async function createScene(keep = ROOT_FOLDER): Promise<Scene> {
  const place = createHubPlace();
  place.put("rules/night.ron", '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "x")])');
  await place.layOut();
  const [secret, folder, otherDb] = ["secret", "folder", "other.redb"].map((name) => outside(place, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(secret, `${SECRET}\n`, { mode: 0o600 });
  mkdirSync(folder, { mode: 0o700 });
  copyFileSync(place.at("data", "state.redb"), otherDb);
  chmodSync(otherDb, 0o600);
  giveAway(place, keep);
  const sumOf = (path: string): string => Bun.hash(readFileSync(path)).toString();
  const before = [secret, otherDb].map(sumOf);
  return {
    place,
    secret,
    folder,
    otherDb,
    plant(path, target) {
      rmSync(place.at(path), { recursive: true, force: true });
      symlinkSync(target, place.at(path));
      Bun.spawnSync(["chown", "-h", `${OWNER}:${OWNER}`, place.at(path)]);
    },
    untouched(said) {
      expect(said).not.toContain(SECRET);
      expect([secret, otherDb].map(sumOf)).toEqual(before);
      expect([secret, folder, otherDb].map((path) => statSync(path).uid)).toEqual([0, 0, 0]);
      expect(statSync(secret).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual([]);
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

test("passwd: what it writes is the owner's, and no other database than his is changed", async () => {
  await using scene = await createScene();
  const { place } = scene;
  expect(await place.run(["passwd"])).toMatchObject({ code: 0 });
  expect(foreignPaths(place)).toEqual([]);
  scene.plant("data/state.redb", scene.otherDb);
  const { code, stdout, stderr } = await place.run(["passwd"]);
  expect(code).toBe(1);
  scene.untouched(stdout + stderr);
});

test("check: shows nothing of what a link leads to", async () => {
  await using scene = await createScene();
  const { place } = scene;
  expect((await place.run(["check"])).code).toBe(0);
  for (const path of ["rules/night.ron", "config/modes.toml", "config/hub.toml"]) {
    scene.plant(path, scene.secret);
    const { code, stdout, stderr } = await place.run(["check"]);
    expect({ path, code }).toEqual({ path, code: 1 });
    scene.untouched(stdout + stderr);
  }
});

test("backup: what only root may read is in no archive, and what stays in the home is the owner's", async () => {
  await using scene = await createScene();
  const { place } = scene;
  for (const name of ["hub.lock", "backup.lock", "last-backup.json"]) rmSync(place.at("data", name), { force: true });
  expect(await place.run(["backup", outside(place, "whole.zip")])).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(outside(place, "whole.zip"))).toMatchObject({ uid: 0 });
  expect(foreignPaths(place)).toEqual([]);

  scene.plant("rules/night.ron", scene.secret);
  const without = await place.run(["backup", outside(place, "without.zip")]);
  expect(without).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("not in the backup: rules/night.ron: a link"),
  });
  const piped = await place.run(["backup", "-"]);
  expect(piped.stderr).toContain("not in the backup: rules/night.ron");
  expect(readFileSync(outside(place, "without.zip"), "latin1") + piped.stdout).not.toContain("rules/night.ron\u0000");
  scene.untouched(piped.stdout);
  rmSync(place.at("rules", "night.ron"));

  for (const path of ["data/backup.lock", "data/hub.lock", "data/hub.lock.pid", "data/last-backup.json"]) {
    scene.plant(path, scene.secret);
    const { stdout, stderr } = await place.run(["backup", outside(place, `${path.replaceAll("/", "-")}.zip`)]);
    scene.untouched(stdout + stderr);
    rmSync(place.at(path), { force: true });
  }
  for (const path of ["data/backup.tmp", "data/restore.tmp"]) {
    scene.plant(path, scene.folder);
    await place.run(["backup", outside(place, `${path.replaceAll("/", "-")}.zip`)]);
    scene.untouched("");
    rmSync(place.at(path), { force: true, recursive: true });
  }
  // A name that the owner can guess, in the owner's folder.
  const target = place.at("rules", "house.zip");
  symlinkSync(scene.secret, `${target}.part`);
  await place.run(["backup", target]);
  scene.untouched("");
  scene.plant("data/state.redb", scene.otherDb);
  const { code, stderr } = await place.run(["backup", outside(place, "other.zip")]);
  expect({ code, made: existsSync(outside(place, "other.zip")) }).toEqual({ code: 1, made: false });
  scene.untouched(stderr);
});

test("init: lays out what is missing as the owner, and nothing behind a link", async () => {
  await using scene = await createScene(/^bin(\/|$)/);
  const { place } = scene;
  rmSync(place.at("plugins"), { recursive: true });
  expect(await place.run(["init"])).toMatchObject({ code: 0 });
  expect(foreignPaths(place)).toEqual([]);
  for (const path of ["plugins", "rules", "config/profiles", "data"]) {
    scene.plant(path, scene.folder);
    const { stdout, stderr } = await place.run(["init"]);
    scene.untouched(stdout + stderr);
  }
});

test("a home that is a link of another user, or lies behind one, belongs to that user", async () => {
  await using scene = await createScene();
  const { place } = scene;
  mkdirSync(outside(place, "his"));
  chownSync(outside(place, "his"), OWNER, OWNER);
  for (const [link, home] of [
    ["his/hub", "his/hub"],
    ["his/way", "his/way/hub"],
  ] as const) {
    symlinkSync(scene.folder, outside(place, link));
    Bun.spawnSync(["chown", "-h", `${OWNER}:${OWNER}`, outside(place, link)]);
    const ran = await place.run(["init", "--home", outside(place, home)]);
    expect(ran.code).toBe(1);
    scene.untouched(ran.stdout + ran.stderr);
  }
});

test("upgrade: no link in bin/ leads root anywhere, and no program there is run as root", async () => {
  for (const keep of [ROOT_FOLDER, /^bin(\/|$)/]) {
    await using scene = await createScene(keep);
    const { place } = scene;
    const spy = outside(place, "who");
    // Replaces the hub, and records the user it runs as.
    writeFileSync(
      place.at("bin", "spy"),
      `#!/bin/sh\ngrep -E '^(Uid|Gid|Groups)' /proc/self/status >>${spy}\necho "hub 0.0.1 (x)"\n`,
    );
    chmodSync(place.at("bin", "spy"), 0o755);
    renameSync(place.at("bin", "spy"), place.at("bin", "hub"));
    writeFileSync(spy, "", { mode: 0o666 });
    chmodSync(spy, 0o666);
    const file = outside(place, "hub-of-root");
    copyFileSync(place.binary, file);
    chmodSync(file, 0o600);
    expect(await place.run(["upgrade", file])).toMatchObject({ code: 0, stdout: expect.stringContaining("0.0.1 → ") });
    const seen = readFileSync(spy, "utf8");
    expect(seen).toMatch(new RegExp(`Uid:\\s+${OWNER}\\s+${OWNER}\\s+${OWNER}\\s+${OWNER}\\n`));
    expect(seen).not.toMatch(/[\s:]0\b/);
    expect(await place.run(["upgrade", "--rollback"])).toMatchObject({ code: 0 });
    expect(readFileSync(spy, "utf8")).not.toMatch(/[\s:]0\b/);
    if (keep !== ROOT_FOLDER) continue;
    scene.plant("bin/hub.new", scene.secret);
    scene.plant("bin/hub.before", scene.secret);
    await place.run(["upgrade", file]);
    scene.untouched("");
    scene.plant("bin", scene.folder);
    const { code, stderr } = await place.run(["upgrade", file]);
    expect(code).toBe(1);
    scene.untouched(stderr);
    scene.plant("config/hub.toml", scene.secret);
    const ran = await place.run(["upgrade", file]);
    scene.untouched(ran.stdout + ran.stderr);
  }
});

test("restore and service status read hub.toml as the owner does", async () => {
  await using scene = await createScene();
  const { place } = scene;
  const zip = outside(place, "house.zip");
  await place.run(["backup", zip]);
  scene.plant("config/hub.toml", scene.secret);
  const { stdout, stderr } = await place.run(["restore", zip, "--dry-run"]);
  scene.untouched(stdout + stderr);
});

test("serve: root's hub becomes the owner's for good", async () => {
  await using scene = await createScene();
  const { place } = scene;
  rmSync(place.at("logs"), { recursive: true });
  mkdirSync(place.at("logs"));
  chownSync(place.at("logs"), OWNER, OWNER);
  scene.plant("logs/hub.log", scene.secret);
  await using hub = spawnHub(place);
  await hub.up();
  const who = readFileSync(`/proc/${hub.pid}/status`, "utf8");
  for (const name of ["Uid", "Gid"])
    expect(who).toMatch(new RegExp(`^${name}:\\s+${OWNER}\\s+${OWNER}\\s+${OWNER}\\s+${OWNER}$`, "m"));
  expect(who).toMatch(/^CapEff:\s+0+$/m);
  expect((await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } })).status).toBe(201);
  const { problems } = await hub.get<{ problems: { part: string }[] }>("/system/status");
  expect(problems).toContainEqual(expect.objectContaining({ part: "log" }));
  await hub.end();
  scene.untouched(hub.output);
  expect(foreignPaths(place)).toEqual([]);
});

test("a home that is partly root's and partly another's is refused with the mend, and keeps no hub from running", async () => {
  await using scene = await createScene(/^(data|logs|bin)(\/|$)/);
  const { place } = scene;
  for (const args of [
    ["passwd"],
    ["check"],
    ["init"],
    ["backup", outside(place, "x.zip")],
    ["upgrade", place.binary],
  ]) {
    const ran = await place.run(args);
    expect({ args, ...ran }).toMatchObject({ args, code: 1, stderr: expect.stringContaining("sudo chown -Rh") });
  }
  await using hub = spawnHub(place);
  await hub.up();
  await until("it is reported", async () => {
    const { problems } = await hub.get<{ problems: { part: string; message: string }[] }>("/system/status");
    return problems.some(({ part, message }) => part === "home" && message.includes("sudo chown -Rh"));
  });
});
