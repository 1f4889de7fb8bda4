// What `hub check` would say of each rule file of a home, in one line.
import { basename } from "node:path";
import { readModesFile } from "../../house/state/virtual/modes-file.ts";
import type { Home } from "../../server/home/paths.ts";
import { checkConfig } from "../config/load.ts";
import type { RuleVerdict } from "../import/homecore/options.ts";
import { textOf } from "../import/staged-home.ts";
import { findRuleProblems } from "./check.ts";

/** By the name of the file. */
export function ruleVerdicts(home: Home): ReadonlyMap<string, RuleVerdict> {
  const { config } = checkConfig(textOf(home.hubToml) ?? "", { otherMqttAccounts: true });
  const { modes, broken } = readModesFile(home.modesToml, { located: config?.location.latitude !== undefined });
  const ids = broken === "unknown" ? undefined : new Set([...(modes ?? []).map(({ id }) => id), ...broken]);
  const verdicts = new Map<string, { problem: string | undefined; warnings: number }>();
  for (const { file, message, path, warning } of findRuleProblems(home, { config, modes: ids }).findings) {
    const name = basename(file);
    const verdict = verdicts.get(name) ?? { problem: undefined, warnings: 0 };
    if (warning) verdict.warnings++;
    else verdict.problem ??= path ? `${path}: ${message}` : message;
    verdicts.set(name, verdict);
  }
  return verdicts;
}
