// A rule as people see it: what its file says, whether that runs, and what it has done.
import type { MadeFrom } from "../blueprints/use.ts";
import type { RuleState } from "../engine/engine.ts";
import type { HouseReads } from "../model/host.ts";
import { foundDevices } from "../model/targets.ts";
import type { RuleFormat } from "../parse/detect.ts";
import type { FileProblem } from "../read/file-problem.ts";
import type { Rule } from "../read/rule.ts";
import type { ListedFile } from "./files.ts";
import type { LocatedReference } from "./read-rule.ts";

/** `broken`: what the file says now does not run. `loading`: the hub is starting and has not read the file yet. */
export const RULE_STATUSES = ["enabled", "disabled", "broken", "paused", "loading"] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

export interface RuleInfo {
  /** The name of the file where there is no other. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly state: RuleStatus;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly file: string;
  readonly format: RuleFormat;
  /** What runs; of a broken rule the last version without problems, if there was one. */
  readonly runningVersion: "current" | "last_good" | "none";
  /** Why it is broken, in the order of the text. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly RuleWarning[];
  readonly triggerTypes: readonly string[];
  /** The version that runs; undefined where none does. */
  readonly rule: Rule | undefined;
  /** There where a blueprint made the version that runs. */
  readonly made: MadeFrom | undefined;
  readonly activity: RuleState;
  /** What the version that runs names, devices by their ids as far as they are known. */
  readonly references: readonly Pick<LocatedReference, "kind" | "name">[];
}

export interface RuleWarning {
  message: string;
  path?: string;
  line: number;
  column: number;
}

/**
 * Whether there is a thing of this kind and name. Where the function is missing, that is not known, and there is no
 * warning.
 */
export type Exists = {
  readonly [Kind in LocatedReference["kind"] | "deviceNamed"]?: ((name: string) => boolean) | undefined;
};

const NO_ACTIVITY: RuleState = {
  last_fired_at: undefined,
  fire_count: 0,
  next_run_at: undefined,
  running: 0,
  queued: 0,
  paused: false,
  paused_until: undefined,
  last_error: undefined,
};

export interface Described {
  exists: Exists;
  /** What lint says of the version that runs. */
  linted: readonly RuleWarning[];
  activity?: RuleState | undefined;
  /** The device that a rule calls by this name. */
  idOf(name: string): string | undefined;
}

export function describe(entry: ListedFile, { exists, linted, activity = NO_ACTIVITY, idOf }: Described): RuleInfo {
  const { id, file, format, problems, good } = entry;
  const broken = problems.length > 0;
  const rule = good?.rule;
  return {
    id,
    name: rule?.name ?? file,
    enabled: rule?.enabled ?? false,
    state: entry.loading ? "loading" : broken ? "broken" : stateOf(rule, activity),
    priority: rule?.priority ?? 0,
    tags: rule?.tags ?? [],
    file,
    format,
    runningVersion: rule === undefined ? "none" : broken ? "last_good" : "current",
    problems,
    warnings: inOrder([...warningsOf(entry, exists), ...linted]),
    triggerTypes: [...new Set(rule?.triggers.map(({ type }) => type))],
    rule,
    made: good?.made,
    activity,
    references: (good?.references ?? []).map(({ kind, name }) => ({
      kind,
      name: (good?.byName && kind === "device" ? idOf(name) : undefined) ?? name,
    })),
  };
}

function inOrder(warnings: RuleWarning[]): RuleWarning[] {
  return warnings.sort((a, b) => a.line - b.line || a.column - b.column);
}

function stateOf(rule: Rule | undefined, { paused }: RuleState): RuleStatus {
  if (!rule?.enabled) return "disabled";
  return paused ? "paused" : "enabled";
}

/** What does not keep the rule from running, each once. */
export function warningsOf({ warnings, good }: Pick<ListedFile, "warnings" | "good">, exists: Exists): RuleWarning[] {
  const has = ({ kind, name }: LocatedReference): boolean | undefined =>
    exists[good?.byName && kind === "device" ? "deviceNamed" : kind]?.(name);
  const missing = (good?.references ?? []).filter((reference) => has(reference) === false);
  const seen = new Set<string>();
  return [
    ...warnings,
    ...missing
      .filter(({ kind, name }) => !seen.has(`${kind} ${name}`) && seen.add(`${kind} ${name}`))
      .map(({ kind, name, ...place }) => ({ ...place, message: withoutIt(kind, name) })),
  ];
}

function withoutIt(kind: LocatedReference["kind"], name: string): string {
  if (kind === "location")
    return `the sun's "${name}" is not known without latitude and longitude in [location] of hub.toml`;
  const what = WHAT_IS_FOUND[kind] ?? kind;
  return `there is no ${what} "${name}" at present; the rule does its part as soon as there is one`;
}

const WHAT_IS_FOUND: { readonly [Kind in LocatedReference["kind"]]?: string } = {
  tag: "device with the tag",
  device_type: "device of the type",
};

export function existsIn(
  host: Pick<HouseReads, "device" | "devices" | "mode" | "hasScene" | "hasArea" | "hasChannel" | "sun">,
  { hasRule, idOf }: { hasRule: (id: string) => boolean; idOf: (name: string) => string | undefined },
): Required<Exists> {
  return {
    deviceNamed: (name) => idOf(name) !== undefined,
    device: (id) => host.device(id) !== undefined,
    mode: (id) => host.mode(id) !== undefined,
    scene: (id) => host.hasScene(id),
    area: (id) => host.hasArea(id),
    tag: (tag) => foundDevices({ tag }, host).length > 0,
    device_type: (device_type) => foundDevices({ device_type }, host).length > 0,
    channel: (name) => host.hasChannel(name),
    rule: hasRule,
    location: () => host.sun !== undefined,
  };
}
