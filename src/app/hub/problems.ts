// The `problems` of the status, collected from all parts.
import { existsSync } from "node:fs";
import type { Listener } from "../../api/http/listen/listen.ts";
import type { Calendars } from "../../house/calendars/calendars.ts";
import type { Discovery } from "../../house/discovery/discovery.ts";
import type { Profiles } from "../../house/discovery/sources/profiles/profiles.ts";
import { formatProblem } from "../config/load.ts";
import type { Fault, HubConfig } from "../config/sections.ts";
import type { HubOptions } from "./options.ts";
import type { PartStarter } from "./start/part-starter.ts";
import type { Ports } from "./start/ports.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

type Sources = Pick<Stores, "db" | "limits" | "mqttAccounts"> &
  Pick<House, "virtual"> &
  Pick<Ports, "mqtt" | "notify" | "rules" | "plugins" | "backups"> & {
    calendars: Pick<Calendars, "problems" | "leftOut">;
    profiles: Pick<Profiles, "problems">;
    discovery: Pick<Discovery, "problems">;
    listener: Pick<Listener, "problem">;
    starter: Pick<PartStarter, "offParts">;
  };

/** Called often: it costs little when there are no problems. */
export function problemsNow(
  { config, home, troubles = [], logProblem }: Pick<HubOptions, "config" | "home" | "troubles" | "logProblem">,
  {
    db,
    limits,
    mqttAccounts,
    virtual,
    notify,
    backups,
    calendars,
    rules,
    plugins,
    profiles,
    discovery,
    listener,
    starter,
    mqtt,
  }: Sources,
): { part: string; message: string }[] {
  return [
    ...troubles,
    ...[logProblem?.()].flatMap((message) => (message ? [{ part: "log", message }] : [])),
    ...starter.offParts.map(({ part, message }) => ({ part, message })),
    ...[listener.problem()].flatMap((message) => (message ? [{ part: "server", message }] : [])),
    ...faultsOf(config).map((fault) => ({
      part: partOf(fault),
      message: formatProblem({ ...fault, file: home.hubToml }),
    })),
    ...(existsSync(home.refusedHubToml) ? [{ part: "config", message: refusedConfig(home.refusedHubToml) }] : []),
    ...virtual.problems().map((problem) => ({ part: "modes", message: formatProblem(problem) })),
    ...[...calendars.problems(), ...calendars.leftOut()].map(({ id, message }) => ({
      part: "calendars",
      message: `${id}: ${message}`,
    })),
    ...(rules.now?.problems() ?? []).map((problem) => ({ part: "rules", message: formatProblem(problem) })),
    ...(notify.now?.notifier.list() ?? []).flatMap(({ name, problem }) =>
      problem ? [{ part: "notify", message: `${name}: ${problem}` }] : [],
    ),
    ...(plugins.now?.problems() ?? []).map((message) => ({ part: "plugins", message })),
    ...profiles.problems().map((problem) => ({ part: "profiles", message: formatProblem(problem) })),
    ...discovery.problems().map((message) => ({ part: "discovery", message })),
    ...(mqtt.now?.external?.problems() ?? []).map((message) => ({ part: "mqtt", message })),
    ...mqttAccounts.problems().map((message) => ({ part: "mqtt", message })),
    ...limits.problems().map(({ limit, account, message }) => ({
      part: "limits",
      message: `${limit}, reached by ${account}: ${message}`,
    })),
    ...db.faults.list().map(({ table, key, problem }) => ({
      part: "storage",
      message: `${home.stateDb}: ${key} in ${table} cannot be read: ${problem}`,
    })),
    ...[backups.now?.problem()].flatMap((message) => (message ? [{ part: "backup", message }] : [])),
  ];
}

// Channels report their own problems.
export function faultsOf({ faults = [] }: HubConfig): Fault[] {
  return faults.filter(({ path }) => !path.startsWith("notify.channels["));
}

function partOf({ path }: Fault): string {
  return path.split(/[.[]/)[0] ?? "config";
}

function refusedConfig(file: string): string {
  return `the hub did not start with the changed hub.toml and went back to the former one; the log says why. The changed one is ${file}: mend it, or remove it`;
}
