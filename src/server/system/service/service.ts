// Makes the hub a systemd service, and undoes that. First it checks everything and plans the steps, then it runs them; a dry run
// stops in between.
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Home } from "../../home/paths.ts";
import { openBinFolder } from "./bin-folder.ts";
import { assertForThisMachine, confirmSwap, stage, swapIn } from "./executable.ts";
import type { Machine } from "./machine.ts";
import { DEVICE_GROUPS, isPlainPath, serviceUnit, UNIT_MARK, UNIT_NAME } from "./service-unit.ts";
import { lastLines, runOrThrow, serviceState, versionOfSystemd } from "./systemctl.ts";

export interface InstallOptions {
  machine: Machine;
  home: Home;
  /** The running executable. */
  execPath: string;
  user: string | undefined;
  privilegedPort: boolean;
  /** Whether administrators of the hub may replace its executable: then it belongs to the hub's user. */
  pageUpgrades: boolean;
  /** Whether the hub keeps plugins to their folders by namespaces. */
  namespaces: boolean;
  /** Folders outside the home that it writes to. */
  writable: readonly string[];
}

export interface Step {
  /** For people. */
  description: string;
  run(): void | Promise<void>;
}

export interface Plan {
  unit: string;
  user: string;
  steps: Step[];
}

/** Changes nothing. Throws HubError where the service cannot be installed. */
export async function planInstall(options: InstallOptions): Promise<Plan> {
  const { machine, home, execPath } = options;
  assertSuitableHome(home);
  assertForThisMachine(execPath, machine);
  const account = await findAccount(machine, home, options.user);
  const systemdVersion = await versionOfSystemd(machine);
  const unit = serviceUnit({ ...options, ...account, home: home.root, systemdVersion });
  const path = join(machine.unitFolder, UNIT_NAME);
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const newExecutable = !sameContent(execPath, home.executable) || !mayRun(home);
  const running = (await serviceState(machine))?.active === "active";
  const upToDate = running && before === unit && !newExecutable;
  return {
    unit,
    user: account.user,
    steps: [
      ...homeSteps(options, account, newExecutable),
      ...(before === unit ? [] : [unitStep(path, before, unit)]),
      commandStep(machine, ["systemctl", "daemon-reload"]),
      commandStep(machine, ["systemctl", "enable", "--quiet", UNIT_NAME]),
      // Waits until the hub reports that it is ready.
      ...(upToDate ? [] : [startStep(machine)]),
    ],
  };
}

function homeSteps(
  { machine, home, execPath, pageUpgrades }: InstallOptions,
  account: Account,
  newExecutable: boolean,
): Step[] {
  const { user, group, create } = account;
  return [
    ...(create ? [commandStep(machine, create)] : []),
    ...(existsSync(home.root)
      ? []
      : [
          {
            description: `create the home ${home.root}`,
            run() {
              mkdirSync(home.root, { recursive: true });
              chmodSync(home.root, 0o755);
            },
          },
        ]),
    commandStep(machine, ["chown", "-Rh", `${user}:${group}`, home.root]),
    ...(existsSync(home.bin) ? [] : [{ description: `create ${home.bin}`, run: () => void mkdirSync(home.bin) }]),
    // Owned by root, so that nothing the hub runs can change what root runs at the next upgrade. Before anything is put there.
    commandStep(machine, ["chown", "-Rh", "root:root", home.bin]),
    ...(newExecutable ? [executableStep(execPath, home)] : []),
    ...(pageUpgrades ? [commandStep(machine, ["chown", "-Rh", `${user}:${group}`, home.bin])] : []),
  ];
}

function executableStep(execPath: string, home: Home): Step {
  return {
    description: `copy ${execPath} to ${home.executable}`,
    run() {
      using folder = openBinFolder(home);
      if (!folder.isRoots && process.geteuid?.() === 0)
        throw new HubError("conflict", `${home.bin} was replaced by something else in the meantime: check what it is`);
      folder.letEverybodyIn();
      swapIn(stage(execPath, folder), folder);
      confirmSwap(folder);
    },
  };
}

function unitStep(path: string, before: string | undefined, unit: string): Step {
  const foreign = before !== undefined && !before.startsWith(UNIT_MARK);
  const kept = `${path}.before`;
  const changes = before === undefined || foreign ? "" : `:\n${changedLines(before, unit)}`;
  const instead = foreign ? `, instead of the one written by hand, which is kept as ${kept}` : "";
  return {
    description: `write ${path}${instead}${changes}`,
    run() {
      mkdirSync(dirname(path), { recursive: true });
      if (foreign) renameSync(path, kept);
      writeFileAtomic(path, unit);
      // It holds no secrets, and everybody may use `systemctl cat`.
      chmodSync(path, 0o644);
    },
  };
}

function commandStep(machine: Machine, argv: readonly string[]): Step {
  return { description: argv.join(" "), run: () => runOrThrow(machine, argv) };
}

function startStep(machine: Machine): Step {
  const argv = ["systemctl", "restart", UNIT_NAME];
  return {
    description: argv.join(" "),
    async run() {
      // systemd does not start a service that failed too often.
      await machine.run(["systemctl", "reset-failed", UNIT_NAME]);
      try {
        await runOrThrow(machine, argv);
      } catch (error) {
        const lines = await lastLines(machine, 20);
        throw new HubError(
          "upstream_failed",
          `the hub did not start as a service. systemd tries again, and the fourth start leaves out what fails. Its last log lines:\n${lines}`,
          { cause: error },
        );
      }
    },
  };
}

/** Stops the service and removes the unit. The home and the user stay. Throws HubError `not_found` where there is none. */
export function planUninstall(machine: Machine): Step[] {
  const path = join(machine.unitFolder, UNIT_NAME);
  if (!existsSync(path)) throw new HubError("not_found", `there is no service: ${path} does not exist`);
  return [
    commandStep(machine, ["systemctl", "disable", "--quiet", "--now", UNIT_NAME]),
    { description: `remove ${path}`, run: () => rmSync(path) },
    commandStep(machine, ["systemctl", "daemon-reload"]),
  ];
}

// Everything in the home gets another owner: this must not happen to /home/pi by mistake.
function assertSuitableHome({ root, hubToml, bin }: Home): void {
  if (!isPlainPath(root) || dirname(root) === "/")
    throw new HubError(
      "invalid",
      `${root} cannot be the home of a service: choose a folder below a top-level one, such as /opt/hub, named with letters, digits and . _ - + = @ only`,
    );
  if (!existsSync(root)) return;
  for (const folder of [root, bin]) {
    const kind = lstatSync(folder, { throwIfNoEntry: false });
    if (kind && !kind.isDirectory()) throw new HubError("invalid", `${folder} is not a folder: name another --home`);
  }
  if (existsSync(hubToml) || readdirSync(root).every((name) => name === "bin")) return;
  throw new HubError(
    "conflict",
    `${root} exists and holds something else than a hub: name an empty or new folder with --home`,
  );
}

function changedLines(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const gone = old.filter((line) => !now.includes(line)).map((line) => `  - ${line}`);
  const come = now.filter((line) => !old.includes(line)).map((line) => `  + ${line}`);
  return [...gone, ...come].join("\n");
}

/** Whether every user may run the executable: it may have been created for its owner alone. */
function mayRun({ bin, executable }: Home): boolean {
  return [bin, executable].every((path) => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o055) === 0o055);
}

function sameContent(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (!a || !b || a.size !== b.size || b.nlink > 1) return false;
  return readFileSync(one).equals(readFileSync(other));
}

const OWN_USER = "hub";

interface Account {
  user: string;
  group: string;
  /** Those of DEVICE_GROUPS that exist. */
  groups: string[];
  /** The command that creates the user; undefined where it exists. */
  create: string[] | undefined;
}

/** Throws HubError `not_found` or `invalid` where the given user cannot be used. */
async function findAccount(machine: Machine, home: Home, named: string | undefined): Promise<Account> {
  if (named !== undefined && !/^[a-z_][a-z0-9_-]*$/i.test(named))
    throw new HubError("invalid", `"${named}" is not the name of a user`);
  const user = named ?? (await nameOfOwner(machine, home)) ?? OWN_USER;
  if (user === "root")
    throw new HubError("invalid", "the hub does not need root and neither do its plugins: leave out --user");
  const groups = await existing(machine, DEVICE_GROUPS);
  const group = (await machine.run(["id", "-gn", user])).stdout.trim();
  if (group) return { user, group, groups, create: undefined };
  if (named !== undefined && named !== OWN_USER) {
    throw new HubError("not_found", `there is no user "${named}": create it first, or leave out --user`);
  }
  const inGroup = (await existing(machine, [OWN_USER])).length > 0 ? ["--gid", OWN_USER] : ["--user-group"];
  const shell = ["--shell", "/usr/sbin/nologin"];
  const create = ["useradd", "--system", ...inGroup, "--home-dir", home.root, "--no-create-home", ...shell, OWN_USER];
  return { user: OWN_USER, group: OWN_USER, groups, create };
}

/** The owner of the home; undefined for root, and where there is no home yet. */
async function nameOfOwner(machine: Machine, home: Home): Promise<string | undefined> {
  // A link belongs to the user who made it, wherever it leads.
  const uid = lstatSync(home.hubToml, { throwIfNoEntry: false })?.uid;
  if (!uid) return undefined;
  return (await machine.run(["id", "-un", String(uid)])).stdout.trim() || undefined;
}

async function existing(machine: Machine, groups: readonly string[]): Promise<string[]> {
  const found = await Promise.all(groups.map((group) => machine.run(["getent", "group", group])));
  return groups.filter((_, index) => found[index]?.code === 0);
}
