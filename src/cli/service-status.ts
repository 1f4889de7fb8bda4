// hub service status: what systemd, the installed executable and the running hub say, side by side.
import { existsSync } from "node:fs";
import { loadConfig } from "../config/load.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { actAsOwner } from "../home/owner.ts";
import { type Home, homeAt } from "../home/paths.ts";
import { askHealth, type Health, type HealthAddress } from "../system/ask-health.ts";
import { runnerOf } from "../system/bin-folder.ts";
import { versionOf } from "../system/executable.ts";
import type { Machine } from "../system/machine.ts";
import { lastLines, type ServiceState, serviceState } from "../system/systemctl.ts";
import type { Invocation } from "./command.ts";
import { healthAddress } from "./prepare.ts";

const HEALTH_WITHIN_MS = 5000;

/** Exit code 0 when the service runs and answers. */
export async function tellStatus({ io }: Invocation, machine: Machine): Promise<number> {
  const state = await serviceState(machine);
  if (!state) throw new HubError("not_found", "there is no service here: `sudo hub service install` makes one");
  const home = state.home === undefined ? undefined : homeAt(state.home);
  const installed = home && (await installedVersion(home, machine));
  const health = home && (await healthOf(home));
  const rows: [string, string][] = [
    ["service", stateText(state)],
    ["home", home?.root ?? "unknown: the unit names no HUB_HOME"],
    ["installed", installed ?? "no executable in the home"],
    ["running", runningText(health, installed)],
    ["says", state.says || "nothing"],
  ];
  const told = rows.map(([name, text]) => `${name.padEnd(10)}${text}\n`).join("");
  const lines = await lastLines(machine, 10);
  io.edge.stdout.write(`${told}\n${lines || "The journal shows nothing to this user: try it with sudo."}\n`);
  return state.active === "active" && typeof health === "object" ? 0 : 1;
}

function stateText({ active, enabled, pid, since, restarts, result }: ServiceState): string {
  const start = enabled === "enabled" ? "starts with the machine" : "does not start with the machine";
  if (active !== "active") return `${active} (${result}), ${start}`;
  return `active since ${since}, process ${pid}, started anew ${restarts} times, ${start}`;
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

/** A text where it could not be asked. */
async function healthOf(home: Home): Promise<Health | string | undefined> {
  try {
    return await askHealth(addressOf(home), HEALTH_WITHIN_MS);
  } catch (error) {
    return `not asked, because ${home.hubToml} does not tell the port: ${messageOf(error)}; try it with sudo`;
  }
}

function addressOf(home: Home): HealthAddress {
  using _owner = actAsOwner(home);
  return healthAddress(loadConfig(home.hubToml).config);
}

function runningText(health: Health | string | undefined, installed: string | undefined): string {
  if (health === undefined) return "does not answer";
  if (typeof health === "string") return health;
  const other = installed === health.version ? "" : "; the installed one comes with `sudo systemctl restart hub`";
  return `${health.version}, answers, up for ${health.uptimeSecs} s${other}`;
}
