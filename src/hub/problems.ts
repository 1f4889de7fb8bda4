// What is not as it should be in this hub, gathered from its parts.
import { formatProblem } from "../config/load.ts";
import type { Fault, HubConfig } from "../config/sections.ts";
import type { Listener } from "../http/listen.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { UnusableEntry } from "../plugins/unusable-plugin.ts";
import type { Rules } from "../rules/rules.ts";
import type { Archives } from "./archives.ts";
import type { House } from "./house.ts";
import type { Messages } from "./messages.ts";
import type { HubOptions } from "./options.ts";
import type { Parts } from "./parts.ts";
import type { Stores } from "./stores.ts";

type Sources = Pick<Stores, "db" | "limits"> &
  Pick<House, "virtual"> &
  Pick<Messages, "notifier"> &
  Pick<Archives, "backups"> & {
    rules: Pick<Rules, "problems">;
    plugins: Pick<Plugins, "problems">;
    listener: Pick<Listener, "problem">;
    parts: Pick<Parts, "off" | "problems">;
  };

/** Asked often: it costs little where all is well. */
export function problemsNow(
  { config, home, troubles = [], logProblem }: Pick<HubOptions, "config" | "home" | "troubles" | "logProblem">,
  { db, limits, virtual, notifier, backups, rules, plugins, listener, parts }: Sources,
): { part: string; message: string }[] {
  return [
    ...troubles,
    ...[logProblem?.()].flatMap((message) => (message ? [{ part: "log", message }] : [])),
    ...parts.problems(),
    ...[listener.problem()].flatMap((message) => (message ? [{ part: "server", message }] : [])),
    ...faultsOf(config).map((fault) => ({
      part: partOf(fault),
      message: formatProblem({ ...fault, file: home.hubToml }),
    })),
    ...virtual.problems().map((problem) => ({ part: "modes", message: formatProblem(problem) })),
    ...rules.problems().map((problem) => ({ part: "rules", message: formatProblem(problem) })),
    ...(parts.off("notify") ? [] : notifier.list()).flatMap(({ name, problem }) =>
      problem ? [{ part: "notify", message: `${name}: ${problem}` }] : [],
    ),
    ...(parts.off("plugins") ? [] : plugins.problems()).map((message) => ({ part: "plugins", message })),
    ...limits.problems().map(({ limit, account, message }) => ({
      part: "limits",
      message: `${limit}, reached by ${account}: ${message}`,
    })),
    ...db.faults.list().map(({ table, key, problem }) => ({
      part: "storage",
      message: `${home.stateDb}: ${key} in ${table} cannot be read: ${problem}`,
    })),
    ...[backups.problem()].flatMap((message) => (message ? [{ part: "backup", message }] : [])),
  ];
}

// Channels say themselves what is wrong with them.
function faultsOf({ faults = [] }: HubConfig): Fault[] {
  return faults.filter(({ path }) => !path.startsWith("notify.channels["));
}

function partOf({ path }: Fault): string {
  return path.split(/[.[]/)[0] ?? "config";
}

/** Each wrong entry of [[plugins]] once, under its id or else its place in the file. */
export function unusablePlugins(config: HubConfig): UnusableEntry[] {
  const wrong = new Map<string, UnusableEntry>();
  for (const { path, message, name } of faultsOf(config)) {
    const place = /^plugins\[\d+\]/.exec(path)?.[0];
    if (place === undefined) continue;
    const problem = [wrong.get(place)?.problem, `${path}: ${message}`].filter((text) => text !== undefined).join("; ");
    wrong.set(place, { id: name ?? place, problem });
  }
  return [...wrong.values()];
}
