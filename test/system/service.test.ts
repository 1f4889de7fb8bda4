// hub service: which commands it runs and what it writes, in a scratch folder. test/interop/service.sh tries it with a real
// systemd.
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Io } from "../../src/app/cli/command.ts";
import { createServiceCommand } from "../../src/app/cli/service.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { type Answer, createFakeMachine } from "../support/fake-machine.ts";
import { configText, createHubPlace } from "../support/hub-place.ts";
import { createTestPlatform } from "../support/platform.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

// The executable's content does not matter here: any program of this machine will do.
const PROGRAM = realpathSync("/bin/true");
const NO_USER = { "id -gn hub": { code: 1 }, "getent group": { code: 2 } };

interface SceneOptions {
  answers?: Record<string, Answer>;
  systemd?: boolean;
  io?: Partial<Io>;
}

function createScene({ answers = NO_USER, systemd = true, io = {} }: SceneOptions = {}) {
  const folder = createTemporaryFolder();
  const machine = createFakeMachine({ unitFolder: folder.at("units"), systemd, answers });
  const platform = createTestPlatform(systemClock);
  const home = folder.at("srv", "hub");
  const command = createServiceCommand(machine);
  const unit = join(machine.unitFolder, "hub.service");
  return {
    folder,
    home,
    platform,
    unit,
    get changes() {
      return machine.changes.map((line) => line.replaceAll(home, "HOME"));
    },
    unitText: () => readFileSync(unit, "utf8"),
    run(word: string, options: Record<string, string | boolean> = {}) {
      const all = {
        platform,
        execPath: PROGRAM,
        compiled: true,
        isRoot: true,
        readStdin: async () => "",
        stopRequested: () => new Promise<string>(() => {}),
        onCrash() {},
        ...io,
      };
      return command.run({ positionals: [word], options: { home, ...options }, io: all });
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("install makes a user, the home, the executable and the unit, and starts it", async () => {
  using scene = createScene({ answers: { "getent group gpio": {}, "getent group dialout": {}, ...NO_USER } });
  expect(await scene.run("install")).toBe(0);
  expect(scene.changes).toEqual([
    "useradd --system --user-group --home-dir HOME --no-create-home --shell /usr/sbin/nologin hub",
    "chown -Rh hub:hub HOME",
    "chown -Rh root:root HOME/bin",
    "systemctl daemon-reload",
    "systemctl enable --quiet hub.service",
    "systemctl reset-failed hub.service",
    "systemctl restart hub.service",
  ]);
  expect(readFileSync(join(scene.home, "bin", "hub")).equals(readFileSync(PROGRAM))).toBe(true);
  const unit = scene.unitText();
  for (const line of [
    "Type=notify",
    "User=hub",
    "SupplementaryGroups=dialout gpio",
    `Environment=HUB_HOME=${scene.home}`,
    `ExecStart=${scene.home}/bin/hub serve`,
    `ReadWritePaths=${scene.home}`,
    "ProtectHome=yes",
    "CapabilityBoundingSet=CAP_NET_RAW",
    "AmbientCapabilities=",
    "UMask=0077",
    "KeyringMode=private",
    "RemoveIPC=yes",
    "MemoryMax=75%",
    "OOMPolicy=continue",
    "TasksMax=1024",
  ])
    expect(unit.split("\n")).toContain(line);
  // It would end the hub at its first line of JavaScript.
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m);
  expect(scene.platform.stdout.text).toContain("journalctl -u hub");
});

test("a dry run lists the steps, writes the unit to standard output, and does nothing, for any user, without systemd", async () => {
  using scene = createScene({ systemd: false, io: { isRoot: false } });
  expect(await scene.run("install", { "dry-run": true })).toBe(0);
  expect(scene.changes).toEqual([]);
  expect(existsSync(scene.home)).toBe(false);
  expect(scene.platform.stdout.text).toStartWith("# Written by `hub service install`");
  expect(scene.platform.stderr.text).toContain("would useradd --system");
});

test("a second install writes what changed, and restarts only for that", async () => {
  const running = "LoadState=loaded\nActiveState=active\nMainPID=7\n";
  using scene = createScene({ answers: { ...NO_USER, "systemctl show": { stdout: running } } });
  await scene.run("install");
  const before = scene.changes.length;
  await scene.run("install");
  expect(scene.changes.slice(before)).not.toContain("systemctl restart hub.service");
  writeFileSync(scene.unit, scene.unitText().replace("WatchdogSec=60", "WatchdogSec=999"));
  await scene.run("install");
  expect(scene.platform.stderr.text).toContain("  - WatchdogSec=999\n  + WatchdogSec=60\n");
  expect(scene.changes.at(-1)).toBe("systemctl restart hub.service");
});

test("a unit written by hand is kept beside", async () => {
  using scene = createScene();
  mkdirSync(join(scene.unit, ".."), { recursive: true });
  writeFileSync(scene.unit, "[Service]\nExecStart=/home/pi/hub/bin/hub\n");
  await scene.run("install");
  expect(readFileSync(`${scene.unit}.before`, "utf8")).toContain("/home/pi/hub/bin/hub");
  expect(scene.platform.stderr.text).toContain(`kept as ${scene.unit}.before`);
});

test("starts are limited, and not before the hub had its three failures and a safe start", async () => {
  using scene = createScene();
  await scene.run("install");
  const numberOf = (key: string): number => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(scene.unitText())?.[1]);
  const starts = numberOf("StartLimitBurst");
  expect(starts).toBeGreaterThan(4);
  // A start that fails at once comes back after RestartSec: the limit is one that such starts do reach.
  expect(starts * (numberOf("RestartSec") + 10)).toBeLessThan(numberOf("StartLimitIntervalSec"));
});

test("growing pauses between restarts are configured only for a systemd that knows them", async () => {
  for (const [said, known] of [
    ["systemd 252 (252.38-1~deb12u1)\n", false],
    ["systemd 257 (257.7-1)\n", true],
    ["", false],
  ] as const) {
    using scene = createScene({ answers: { ...NO_USER, "systemctl --version": { stdout: said } } });
    await scene.run("install");
    expect({ said, known: scene.unitText().includes("RestartSteps=") }).toEqual({ said, known });
  }
});

test("every user can run what is in bin/, even if it was created for its owner alone", async () => {
  using scene = createScene();
  mkdirSync(join(scene.home, "bin"), { recursive: true, mode: 0o700 });
  writeFileSync(join(scene.home, "bin", "hub"), readFileSync(PROGRAM), { mode: 0o700 });
  const before = process.umask(0o077);
  try {
    await scene.run("install");
  } finally {
    process.umask(before);
  }
  const modes = ["", "bin", "bin/hub"].map((path) => statSync(join(scene.home, path)).mode & 0o777);
  expect(modes.slice(1)).toEqual([0o755, 0o755]);
  expect(statSync(scene.unit).mode & 0o777).toBe(0o644);
});

test("a link instead of bin/ does not lead root elsewhere, even if it is put there at the last moment", async () => {
  let exchange = (): void => {};
  const answers = {
    ...NO_USER,
    "chown -Rh root:root": () => {
      exchange();
      return {};
    },
  };
  using scene = createScene({ answers });
  mkdirSync(scene.folder.at("elsewhere"));
  exchange = () => {
    rmSync(join(scene.home, "bin"), { recursive: true, force: true });
    symlinkSync(scene.folder.at("elsewhere"), join(scene.home, "bin"));
  };
  await expect(scene.run("install")).rejects.toThrow();
  expect(readdirSync(scene.folder.at("elsewhere"))).toEqual([]);
});

test("a port below 1024 gets the one capability it needs", async () => {
  using scene = createScene();
  mkdirSync(join(scene.home, "config"), { recursive: true });
  const text = configText().replace("[server]\nhost", "[server]\n# web\nhost").replace("port = 0", "port = 80");
  writeFileSync(join(scene.home, "config", "hub.toml"), text, { mode: 0o600 });
  await scene.run("install");
  expect(scene.unitText()).toContain("AmbientCapabilities=CAP_NET_BIND_SERVICE\n");
  expect(scene.unitText()).toContain("CapabilityBoundingSet=CAP_NET_RAW CAP_NET_BIND_SERVICE\n");
});

test("a backup folder outside the home may be written to, and need not be there", async () => {
  for (const [directory, line] of [
    ["/mnt/usb/hub", " -/mnt/usb/hub\n"],
    ["nightly", "\n"],
  ]) {
    using scene = createScene();
    mkdirSync(join(scene.home, "config"), { recursive: true });
    const toml = configText({ toml: `[backup]\ndirectory = "${directory}"\n` });
    writeFileSync(join(scene.home, "config", "hub.toml"), toml, { mode: 0o600 });
    await scene.run("install");
    expect(scene.unitText()).toContain(`ReadWritePaths=${scene.home}${line}`);
  }
});

test("a home under /home is all that is seen of it, and its owner stays the user", async () => {
  using scene = createScene({ answers: { "id -gn ann": { stdout: "people\n" }, "getent group": { code: 2 } } });
  expect(await scene.run("install", { "dry-run": true, home: "/home/ann/hub", user: "ann" })).toBe(0);
  const lines = scene.platform.stdout.text.split("\n");
  for (const line of ["User=ann", "Group=people", "ProtectHome=tmpfs", "BindPaths=/home/ann/hub"])
    expect(lines).toContain(line);
  expect(scene.platform.stdout.text).not.toContain("SupplementaryGroups");
  expect(scene.platform.stderr.text).not.toContain("useradd");
});

test("what is not possible is refused with what to do, and nothing is done", async () => {
  const refusals: [string, SceneOptions, Record<string, string | boolean>, RegExp][] = [
    ["install", { io: { isRoot: false } }, {}, /sudo/],
    ["uninstall", { io: { isRoot: false } }, {}, /sudo/],
    ["install", { systemd: false }, {}, /no systemd here.*hub serve/],
    ["install", { io: { compiled: false } }, {}, /compiled/],
    ["install", {}, { user: "nobody-of-that-name" }, /no user "nobody-of-that-name"/],
    ["install", {}, { user: "root" }, /does not need root/],
    ["install", {}, { user: "a b" }, /not the name of a user/],
    ["install", {}, { home: "/srv" }, /below a top-level one/],
    ["install", {}, { home: "/srv/with space" }, /named with letters/],
    ["install", {}, { home: "/usr/bin" }, /something else than a hub/],
    ["install", { io: { execPath: "/etc/passwd" } }, {}, /not a program/],
    ["uninstall", {}, {}, /no service/],
    ["status", {}, {}, /no service here/],
    ["instal", {}, {}, /say `hub service install`/],
  ];
  for (const [word, options, flags, message] of refusals) {
    const answers = { ...NO_USER, "id -gn": { code: 1 }, "systemctl show": { stdout: "LoadState=not-found\n" } };
    using scene = createScene({ answers, ...options });
    await expect(scene.run(word, flags)).rejects.toThrow(message);
    expect({ word, changes: scene.changes, home: existsSync(scene.home) }).toEqual({ word, changes: [], home: false });
  }
});

test("a start that fails shows the last lines of the journal", async () => {
  const answers = {
    ...NO_USER,
    "systemctl restart": { code: 1, stderr: "Job for hub.service failed" },
    journalctl: { stdout: "hub[7]: the port is taken\n" },
  };
  using scene = createScene({ answers });
  await expect(scene.run("install")).rejects.toThrow("the port is taken");
});

test("uninstall stops it, removes the unit, and leaves the home", async () => {
  using scene = createScene();
  await scene.run("install");
  const before = scene.changes.length;
  expect(await scene.run("uninstall")).toBe(0);
  expect(scene.changes.slice(before)).toEqual([
    "systemctl disable --quiet --now hub.service",
    "systemctl daemon-reload",
  ]);
  expect(existsSync(scene.unit)).toBe(false);
  expect(existsSync(join(scene.home, "bin", "hub"))).toBe(true);
  expect(scene.platform.stdout.text).toContain("still there");
});

test("the compiled hub writes its unit, and says where there is no systemd", async () => {
  await using place = createHubPlace(null, "/srv/hub-of-a-test");
  const { code, stdout } = await place.run(["service", "install", "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toContain("ExecStart=/srv/hub-of-a-test/bin/hub serve\n");
  expect(existsSync("/srv/hub-of-a-test")).toBe(false);
});
