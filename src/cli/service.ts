// hub service: makes the hub a service of systemd, takes it away again, and tells how it is.
import { existsSync } from "node:fs";
import type { HubConfig } from "../config/sections.ts";
import { HubError } from "../core/errors.ts";
import { actAsOwner } from "../home/owner.ts";
import type { Home } from "../home/paths.ts";
import { type Machine, thisMachine } from "../system/machine.ts";
import { planInstall, planUninstall, type Step } from "../system/service.ts";
import { isPlainPath } from "../system/service-unit.ts";
import { type Command, homeOf, homeOption, type Invocation, type Io } from "./command.ts";
import { readConfig } from "./prepare.ts";
import { tellStatus } from "./service-status.ts";
import { hubVersion } from "./version.ts";

export function createServiceCommand(machine: Machine): Command {
  const does = { install, uninstall, status: tellStatus };
  return {
    name: "service",
    args: "install|uninstall|status",
    summary: "Make the hub a service of systemd that starts with the machine, take it away, or tell how it is",
    options: {
      ...homeOption,
      user: { type: "string", doc: "whom it runs as; else the owner of a home that is there, else a new user `hub`" },
      "dry-run": { type: "boolean", doc: "change nothing: tell the steps, and write the unit to standard output" },
    },
    maxPositionals: 1,
    async run(invocation) {
      const word = invocation.positionals[0] ?? "status";
      if (!(word in does)) throw new HubError("invalid", `say \`hub service install\`, \`uninstall\` or \`status\``);
      return does[word as keyof typeof does](invocation, machine);
    },
  };
}

export const service = createServiceCommand(thisMachine);

async function install(invocation: Invocation, machine: Machine): Promise<number> {
  const { io, options } = invocation;
  const { stdout } = io.edge;
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
    privilegedPort: config !== undefined && hasPrivilegedPort(config),
    writable: config === undefined ? [] : foldersOutside(home, config),
  });
  await take(plan.steps, invocation, dryRun);
  if (dryRun) {
    stdout.write(plan.unit);
    return 0;
  }
  stdout.write(
    `The hub ${hubVersion} runs as a service: user ${plan.user}, home ${home.root}. It starts with the machine.\n`,
  );
  stdout.write(`${known ? "Its lines" : "The administrator's password is in its first lines"}: journalctl -u hub\n`);
  return 0;
}

// Installing is what mends a home that is partly root's.
function readAsOwner(home: Home, io: Io): HubConfig {
  using _owner = actAsOwner(home, { mixed: "stranger" });
  return readConfig(home, io);
}

async function uninstall(invocation: Invocation, machine: Machine): Promise<number> {
  const dryRun = invocation.options["dry-run"] === true;
  if (!dryRun) assertMay(invocation, machine);
  await take(planUninstall(machine), invocation, dryRun);
  if (!dryRun)
    invocation.io.edge.stdout.write(
      "The service is gone. Its home with all that is in it, and its user, are still there.\n",
    );
  return 0;
}

// What is done is told on stderr, so that a dry run's unit stands alone on stdout.
async function take(steps: readonly Step[], { io }: Invocation, dryRun: boolean): Promise<void> {
  for (const { says, run } of steps) {
    io.edge.stderr.write(`${dryRun ? "would " : ""}${says}\n`);
    if (!dryRun) await run();
  }
}

function assertMay({ io }: Invocation, machine: Machine): void {
  if (machine.platform !== "linux" || !machine.hasSystemd()) {
    throw new HubError(
      "conflict",
      "there is no systemd here, so there is no service: let what starts programs on this machine run `hub serve --home DIR`",
    );
  }
  if (!io.isRoot) throw new HubError("forbidden", "only root may do that: run it with sudo");
}

function hasPrivilegedPort({ server, mqtt }: HubConfig): boolean {
  return [server.port, mqtt.port].some((port) => port > 0 && port < 1024);
}

/** Where the configuration lets it write besides the home. */
function foldersOutside(home: Home, { backup }: HubConfig): string[] {
  const folder = home.resolve(backup.directory);
  if (folder === home.root || folder.startsWith(`${home.root}/`)) return [];
  if (isPlainPath(folder)) return [folder];
  throw new HubError(
    "config",
    `[backup] directory = "${folder}" cannot stand in a unit: use letters, digits and . _ - + = @ only`,
  );
}
