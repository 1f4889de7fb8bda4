// hub service: installs the hub as a systemd service, removes the service, and shows its state.
import { existsSync } from "node:fs";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { probeLandlock } from "../../reach/plugins/confine/landlock.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { type Home, homeAt } from "../../server/home/paths.ts";
import { runnerOf } from "../../server/system/service/bin-folder.ts";
import { versionOf } from "../../server/system/service/executable.ts";
import { type Machine, thisMachine } from "../../server/system/service/machine.ts";
import { planInstall, planUninstall, type Step } from "../../server/system/service/service.ts";
import { isPlainPath } from "../../server/system/service/service-unit.ts";
import { lastLines, type ServiceState, serviceState } from "../../server/system/service/systemctl.ts";
import { askHealth, type Health, type HealthAddress, healthAddress } from "../../server/system/upgrade/ask-health.ts";
import type { HubConfig } from "../config/sections.ts";
import { type Command, counted, homeOf, homeOption, type Invocation, type Io, jsonOption, print } from "./command.ts";
import { loadConfigOf, readConfig } from "./prepare.ts";
import { hubVersion } from "./version.ts";

const HEALTH_WITHIN_MS = 5000;

export function createServiceCommand(machine: Machine): Command {
  const actions = { install, uninstall, status };
  return {
    options: {
      ...homeOption,
      user: {
        type: "string",
        value: "NAME",
        doc: "the user it runs as; default: the owner of the home, or a new user `hub`",
      },
      "page-upgrades": {
        type: "boolean",
        doc: "let the hub's administrators replace it by a file they upload; then do not run its executable with sudo",
      },
      "dry-run": { type: "boolean", doc: "change nothing: list the steps, and write the unit to standard output" },
      ...jsonOption,
    },
    maxPositionals: 1,
    async run(invocation) {
      const word = invocation.positionals[0] ?? "status";
      if (!Object.hasOwn(actions, word))
        throw new HubError("invalid", "say `hub service install`, `hub service uninstall` or `hub service status`");
      return actions[word as keyof typeof actions](invocation, machine);
    },
  };
}

export const service = createServiceCommand(thisMachine);

async function install(invocation: Invocation, machine: Machine): Promise<number> {
  const { io, options } = invocation;
  const dryRun = options["dry-run"] === true;
  if (!dryRun) assertMay(invocation, machine);
  if (!io.compiled) throw new HubError("conflict", "only the compiled hub can become a service: bun run build");
  const home = homeOf(invocation);
  const known = existsSync(home.hubToml);
  const config = known ? readAsOwner(home, io) : undefined;
  const plan = await planInstall({
    machine,
    home,
    execPath: io.execPath,
    user: typeof options.user === "string" ? options.user : undefined,
    pageUpgrades: options["page-upgrades"] === true,
    namespaces: probeLandlock().abi === 0,
    privilegedPort: config !== undefined && hasPrivilegedPort(config),
    writable: config === undefined ? [] : foldersOutside(home, config),
  });
  await runSteps(plan.steps, invocation, dryRun);
  if (dryRun) {
    print(invocation, { installed: false, unit: plan.unit }, () => plan.unit);
    return 0;
  }
  print(invocation, { installed: true, version: hubVersion, user: plan.user, home: home.root }, () => {
    const log = known ? "To see its log" : "To see its log, with the administrator's password";
    return `The hub ${hubVersion} runs as a service: user ${plan.user}, home ${home.root}. It starts with the machine.\n${log}: journalctl -u hub\n`;
  });
  return 0;
}

/** Without the check for a home that is partly root's, because installing is what mends that. */
function readAsOwner(home: Home, io: Io): HubConfig {
  using _owner = actAsOwner(home, { mixed: "other" });
  return readConfig(home, io);
}

async function uninstall(invocation: Invocation, machine: Machine): Promise<number> {
  const dryRun = invocation.options["dry-run"] === true;
  if (!dryRun) assertMay(invocation, machine);
  await runSteps(planUninstall(machine), invocation, dryRun);
  print(invocation, { removed: !dryRun }, () =>
    dryRun ? "" : "The service was removed. Its home, with all files, and its user are still there.\n",
  );
  return 0;
}

/** Steps are printed to stderr, so that stdout has nothing but the unit of a dry run. */
async function runSteps(steps: readonly Step[], { io }: Invocation, dryRun: boolean): Promise<void> {
  for (const { description, run } of steps) {
    io.platform.stderr.write(`${dryRun ? "would " : ""}${description}\n`);
    if (!dryRun) await run();
  }
}

function assertMay({ io }: Invocation, machine: Machine): void {
  if (machine.platform !== "linux" || !machine.hasSystemd()) {
    throw new HubError(
      "conflict",
      "there is no systemd here, so the hub cannot become a service: run `hub serve --home FOLDER` from what starts programs on this machine",
    );
  }
  if (!io.isRoot) throw new HubError("forbidden", "only root may do that: run it with sudo");
}

function hasPrivilegedPort({ server, mqtt }: HubConfig): boolean {
  return [server.port, mqtt.port].some((port) => port > 0 && port < 1024);
}

/** Folders outside the home that the configuration makes the hub write to. */
function foldersOutside(home: Home, { backup }: HubConfig): string[] {
  const targets = backup.targets.flatMap((target) =>
    target.type === "folder" ? [{ key: "[[backup.targets]] directory", folder: target.directory }] : [],
  );
  const all = [{ key: "[backup] directory", folder: home.resolve(backup.directory) }, ...targets];
  return all.flatMap(({ key, folder }) => {
    if (folder === home.root || folder.startsWith(`${home.root}/`)) return [];
    if (isPlainPath(folder)) return [folder];
    throw new HubError(
      "config",
      `${key} = "${folder}" cannot be used in a unit: use only letters, digits and . _ - + = @ in its name`,
    );
  });
}

/** Shows what systemd, the installed executable and the running hub say. Exit code 0 when the service runs and answers. */
async function status(invocation: Invocation, machine: Machine): Promise<number> {
  const state = await serviceState(machine);
  if (!state) throw new HubError("not_found", "there is no service here: `sudo hub service install` installs one");
  const home = state.home === undefined ? undefined : homeAt(state.home);
  const installed = home && (await installedVersion(home, machine));
  const health = home && (await healthOf(home));
  const rows: [string, string][] = [
    ["service", stateText(state)],
    ["home", home?.root ?? "unknown: the unit names no HUB_HOME"],
    ["installed", installed ?? "no executable in the home"],
    ["running", runningText(health, installed)],
    ["status", state.statusText || "none"],
  ];
  const lines = await lastLines(machine, 10);
  print(invocation, { ...Object.fromEntries(rows), log: lines }, () => {
    const table = rows.map(([name, text]) => `${name.padEnd(10)}${text}\n`).join("");
    return `${table}\n${lines || "The journal shows nothing to this user: try it with sudo."}\n`;
  });
  return state.active === "active" && typeof health === "object" ? 0 : 1;
}

function stateText({ active, enabled, pid, since, restarts, result }: ServiceState): string {
  const start = enabled === "enabled" ? "starts with the machine" : "does not start with the machine";
  if (active !== "active") return `${active} (${result}), ${start}`;
  return `active since ${since}, process ${pid}, ${counted(restarts, "restart")}, ${start}`;
}

async function installedVersion(home: Home, machine: Machine): Promise<string | undefined> {
  const { executable } = home;
  if (!existsSync(executable)) return undefined;
  try {
    return await versionOf(executable, machine, { as: runnerOf(home, executable) });
  } catch (error) {
    return messageOf(error);
  }
}

/** A text where the hub could not be asked. */
async function healthOf(home: Home): Promise<Health | string | undefined> {
  try {
    return await askHealth(addressOf(home), HEALTH_WITHIN_MS);
  } catch (error) {
    return `unknown, because the port cannot be read from ${home.hubToml}: ${messageOf(error)}; try it with sudo`;
  }
}

function addressOf(home: Home): HealthAddress {
  using _owner = actAsOwner(home);
  return healthAddress(loadConfigOf(home).config);
}

function runningText(health: Health | string | undefined, installed: string | undefined): string {
  if (health === undefined) return "does not answer";
  if (typeof health === "string") return health;
  const other = installed === health.version ? "" : "; `sudo systemctl restart hub` starts the installed one";
  const parts = health.ready ? "" : "; some parts are off or still starting: see `hub status`";
  return `${health.version}, answers, up for ${health.uptimeSecs} s${parts}${other}`;
}
