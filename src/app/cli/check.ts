// hub check: lists all problems of the configuration, the modes, the rules and the profiles, and changes nothing.
import { checkProfiles } from "../../house/discovery/sources/profiles/profiles.ts";
import { describedAttributes } from "../../house/state/commands/command-check.ts";
import type { DeviceDetails } from "../../house/state/device.ts";
import { readModesFile } from "../../house/state/virtual/modes-file.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { readTomlFile } from "../../kit/schema/toml.ts";
import { dialectsOf } from "../../reach/notify/config.ts";
import { createTextCheck } from "../../reach/notify/markup/text-check.ts";
import { messageExpressions } from "../../rules/expression/messages.ts";
import { createRuleExpressions } from "../../rules/read/expressions.ts";
import { type CheckedRules, checkRuleFiles, formatFinding, type RuleFinding } from "../../rules/store/check.ts";
import { knownAttributes, knownDetails, knownIds, knownVariables } from "../../server/db/known-ids.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { fileProblems } from "../config/file-problems.ts";
import { formatProblem, type LocatedProblem } from "../config/load.ts";
import { addressNames, type HubConfig } from "../config/sections.ts";
import { type Command, counted, homeOf, homeOption, type Invocation, type Io, jsonOption, print } from "./command.ts";
import { readConfig } from "./prepare.ts";

export const check: Command = {
  options: { ...homeOption, ...jsonOption },
  async run(invocation) {
    const { io } = invocation;
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    const report = createReport(invocation);
    const config = checkConfig(home, io, report);
    // Checked even where the configuration is wrong, to list all problems at once.
    const modes = checkModes(home, { located: config?.location.latitude !== undefined || !config, report });
    const rules = checkRules(home, { config, modes, report });
    reportProfiles(home, report);
    const { failures, problems } = report;
    if (failures.length > 0 && !invocation.options.json) throw new HubError("config", failures.join("; "));
    print(
      invocation,
      { valid: failures.length === 0, file: home.hubToml, rule_files: rules, problems },
      () =>
        `${home.hubToml} is valid${rules > 0 ? `, and so ${rules === 1 ? "is" : "are"} ${counted(rules, "rule file")}` : ""}\n`,
    );
    return failures.length === 0 ? 0 : 1;
  },
};

/** What is found: written to stderr as it is found, or kept for JSON. */
export interface CheckReport {
  /** A line for each part that has problems. */
  readonly failures: string[];
  readonly problems: object[];
  note(problem: LocatedProblem): void;
  noteRule(finding: RuleFinding): void;
}

export function createReport({ options, io }: Invocation): CheckReport {
  const problems: object[] = [];
  const write = (text: string): void => {
    if (!options.json) io.platform.stderr.write(`${text}\n`);
  };
  return {
    failures: [],
    problems,
    note(problem) {
      problems.push(problem);
      write(formatProblem(problem));
    },
    noteRule({ frame, ...finding }) {
      problems.push(finding);
      write(formatFinding(frame === undefined ? finding : { ...finding, frame }));
    },
  };
}

function checkConfig(home: Home, io: Io, report: CheckReport): HubConfig | undefined {
  const { failures } = report;
  try {
    const config = readConfig(home, io, undefined, report.note);
    const count = (config.faults?.length ?? 0) + reportFiles(home, config, io.platform.clock.now(), report);
    if (count > 0) failures.push(`the configuration has ${counted(count, "problem")}`);
    return config;
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "config") throw error;
    failures.push(error.message);
    return undefined;
  }
}

/** Checks the files that the configuration names. Returns the number of problems that are more than warnings. */
function reportFiles(home: Home, config: HubConfig, now: number, { note }: CheckReport): number {
  const found = fileProblems(config, home, now);
  const read = readTomlFile(home.hubToml);
  for (const problem of found) {
    const line = read.ok ? read.locate(problem.path) : undefined;
    note({ ...problem, file: home.hubToml, line });
  }
  return found.filter(({ warning }) => !warning).length;
}

/** Returns the ids of the modes; undefined where they are not known. */
export function checkModes(
  home: Home,
  { located, report: { note, failures } }: { located: boolean; report: CheckReport },
): ReadonlySet<string> | undefined {
  const { modes, broken, problems } = readModesFile(home.modesToml, { located });
  problems.forEach(note);
  const count = problems.filter(({ warning }) => !warning).length;
  if (count > 0) failures.push(`modes.toml has ${counted(count, "problem")}`);
  return broken === "unknown" ? undefined : new Set([...(modes ?? []).map(({ id }) => id), ...broken]);
}

function reportProfiles(home: Home, { note, failures }: CheckReport): void {
  const problems = checkProfiles(home.profiles, messageExpressions);
  problems.forEach(note);
  const count = problems.filter(({ warning }) => !warning).length;
  if (count > 0) failures.push(`the profiles have ${counted(count, "problem")}`);
}

interface Known {
  config: HubConfig | undefined;
  modes: ReadonlySet<string> | undefined;
  report: CheckReport;
}

/** Returns the number of rule files. */
function checkRules(home: Home, { config, modes, report: { noteRule, failures } }: Known): number {
  const { files, findings } = findRuleProblems(home, { config, modes });
  findings.forEach(noteRule);
  const count = findings.filter(({ warning }) => !warning).length;
  if (count > 0) failures.push(`the rules have ${counted(count, "problem")}`);
  return files;
}

/** What is wrong with the rule files of a home, as far as its configuration, its modes and its database say. */
export function findRuleProblems(home: Home, { config, modes }: Pick<Known, "config" | "modes">): CheckedRules {
  const channels = config && new Set(addressNames(config));
  const among = (known: ReadonlySet<string> | undefined) => known && ((name: string) => known.has(name));
  const attributes = knownAttributes(home.stateDb);
  const details = knownDetails(home.stateDb);
  return checkRuleFiles(home.rules, {
    exists: {
      device: among(knownIds(home.stateDb, "devices")),
      area: among(knownIds(home.stateDb, "areas")),
      scene: among(knownIds(home.stateDb, "scenes")),
      mode: among(modes),
      channel: among(channels),
      location: config && (() => config.location.latitude !== undefined && config.location.longitude !== undefined),
    },
    expressions: createRuleExpressions(),
    house: {
      attributes: attributes && ((device) => attributes.get(device)),
      described: details && ((device) => describedAttributes((details.get(device) ?? {}) as DeviceDetails)),
      variable: among(knownVariables(home.stateDb)),
      textProblems: config && createTextCheck(dialectsOf(config.notify)),
    },
  });
}
