// Reads hub.toml: all problems at once, each with its line where it can be known, its key and the mend.
import { statSync } from "node:fs";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { type LineProblem, readToml, readTomlFile, type TomlFile } from "../../kit/schema/toml.ts";
import { confine } from "./confine.ts";
import { type HubConfig, sectionNames } from "./sections.ts";

export interface LocatedProblem extends LineProblem {
  file: string;
}

export interface LoadedConfig {
  config: HubConfig;
  warnings: LocatedProblem[];
}

/** What a check cannot see in the file itself. */
export interface BesideTheFile {
  /** Whether there may be MQTT accounts besides [[mqtt.users]]. Asked only where [mqtt] needs some. */
  readonly otherMqttAccounts?: boolean;
}

/** Reads and checks the file. Throws HubError `config` whose details hold `problems: LocatedProblem[]`. */
export function loadConfig(file: string, beside?: BesideTheFile): LoadedConfig {
  const found = checkRead(readFile(file), beside);
  const problems = found.problems.map((problem) => ({ file, ...problem }));
  if (found.config === undefined) throw configError(problems);
  return { config: found.config, warnings: [...problems, ...readableByOthers(file)] };
}

interface CheckedConfig {
  /** There unless a problem is neither a warning nor confined. */
  config?: HubConfig;
  problems: LineProblem[];
}

/** Checks what a hub.toml holds. Never throws. */
export function checkConfig(given: Uint8Array | string, beside?: BesideTheFile): CheckedConfig {
  return checkRead(readToml(given), beside);
}

function checkRead(read: TomlFile, beside: BesideTheFile = {}): CheckedConfig {
  if (!read.ok) return { problems: [read.problem] };
  const located = <P extends Problem>(problem: P) => ({ ...problem, line: read.locate(problem.path) });
  const { config, problems } = confine(withSections(read.table), read.problems, beside);
  if (!config) return { problems: problems.map(located) };
  return {
    config: config.faults ? { ...config, faults: config.faults.map(located) } : config,
    problems: problems.map(located),
  };
}

/** `config/hub.toml:12: mqtt.port: must be …` */
export function formatProblem({ file, line, path, message, warning }: LocatedProblem): string {
  return `${file}${line ? `:${line}` : ""}: ${warning ? "warning: " : ""}${path ? `${path}: ` : ""}${message}`;
}

function configError(problems: LocatedProblem[]): HubError {
  const count = problems.filter(({ warning }) => !warning).length;
  const message = `the configuration has ${count === 1 ? "a problem" : `${count} problems`}`;
  return new HubError("config", message, { details: { problems } });
}

function readFile(file: string): TomlFile {
  try {
    return readTomlFile(file);
  } catch (error) {
    throw configError([{ file, path: "", message: `cannot be read: ${messageOf(error)}` }]);
  }
}

// A section that is left out counts as empty, so that its defaults apply and its required keys are reported.
function withSections(table: JsonObject): JsonObject {
  const empty = Object.fromEntries(sectionNames.map((name) => [name, {}]));
  return { ...empty, ...table };
}

function readableByOthers(file: string): LocatedProblem[] {
  const mode = statSync(file).mode & 0o077;
  if (mode === 0) return [];
  return [
    { file, path: "", message: `holds secrets and can be read by other users: chmod 600 ${file}`, warning: true },
  ];
}
