// Reads hub.toml: all problems at once, each with its line where it can be known, its key and the mend.
import { readFileSync, statSync } from "node:fs";
import { parse } from "smol-toml";
import { HubError, messageOf } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { checkValue, type Problem } from "../core/schema.ts";
import { createLocator, syntaxProblem } from "../core/toml-locate.ts";
import { confinedProblems, crossProblems, HubConfig, sectionNames } from "./sections.ts";

export interface LocatedProblem extends Problem {
  file: string;
  /** 1-based. */
  line?: number;
}

export interface LoadedConfig {
  config: HubConfig;
  warnings: LocatedProblem[];
}

/** Reads and checks the file. Throws HubError `config` whose details hold `problems: LocatedProblem[]`. */
export function loadConfig(file: string): LoadedConfig {
  const text = readText(file);
  const found = checkConfig(text);
  const problems = found.problems.map((problem) => ({ file, ...problem }));
  if (found.config === undefined) throw configError(problems);
  return { config: found.config, warnings: [...problems, ...readableByOthers(file)] };
}

/** Checks the text of a hub.toml. `config` is there unless a problem is more than a warning, and not confined. */
export function checkConfig(text: string): { config?: HubConfig; problems: (Problem & { line?: number })[] } {
  let table: unknown;
  try {
    table = parse(text);
  } catch (error) {
    return { problems: [syntaxProblem(error)] };
  }
  const locate = createLocator(text);
  const checked = checkValue(HubConfig, withSections(table));
  const problems = [...(checked.ok ? crossProblems(checked.value) : checked.problems), ...confinedProblems(table)];
  const located = problems.map((problem) => ({ ...problem, line: locate(problem.path) }));
  return checked.ok && located.every(({ warning, confined }) => warning || confined)
    ? { config: checked.value, problems: located }
    : { problems: located };
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

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw configError([{ file, path: "", message: `cannot be read: ${messageOf(error)}` }]);
  }
}

// A section that is left out is an empty one, so that its defaults apply and its required keys are named.
function withSections(table: unknown): unknown {
  if (!isObject(table)) return table;
  const empty = Object.fromEntries(sectionNames.filter((name) => name !== "plugins").map((name) => [name, {}]));
  return { ...empty, ...table };
}

function readableByOthers(file: string): LocatedProblem[] {
  const mode = statSync(file).mode & 0o077;
  if (mode === 0) return [];
  return [
    { file, path: "", message: `holds secrets and can be read by other users: chmod 600 ${file}`, warning: true },
  ];
}
