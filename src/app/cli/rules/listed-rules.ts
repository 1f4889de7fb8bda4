// The rules of a home: as its running hub has them, or, while it is stopped, as their files and the database say.

import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { createRuleExpressions } from "../../../rules/read/expressions.ts";
import { blueprintsIn } from "../../../rules/store/check.ts";
import { readRuleFile, ruleFilesIn } from "../../../rules/store/disk.ts";
import { createRuleReader } from "../../../rules/store/read-rule.ts";
import { firedRules } from "../../../server/db/known-ids.ts";
import type { Home } from "../../../server/home/paths.ts";
import { findNamed } from "../find.ts";
import type { HubClient } from "../hub-client.ts";

export interface ListedRule {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly enabled: boolean;
  /** `enabled`, `disabled`, `paused`, `broken` or `loading`. */
  readonly state: string;
  /** `current`, or of a broken file `last_good` or `none`. */
  readonly running_version: string;
  /** UTC. */
  readonly last_fired_at: string | null;
  readonly fire_count: number;
  /** Undefined where only a running hub knows. */
  readonly next_run_at: string | null | undefined;
  readonly last_error: { readonly at: string; readonly message: string } | null;
  /** Why it is broken. */
  readonly problem: string | null;
  readonly warnings: number;
}

export async function rulesOfHub(client: HubClient): Promise<ListedRule[]> {
  const answer = await client.ask("GET", "/rules");
  return (Array.isArray(answer) ? answer : []).filter(isObject).map(fromAnswer);
}

/** By its id, its name, or the name of its file. Throws as `findNamed`. */
export function findRule<T extends Pick<ListedRule, "id" | "name" | "file">>(rules: readonly T[], wanted: string): T {
  const stem = (file: string): string => file.replace(/\.(?:ron|toml)$/i, "");
  return findNamed(rules, wanted, {
    noun: "rule",
    listedBy: "hub rules list",
    distinguishedBy: "file or id",
    also: ({ file }) => [file, stem(file)],
    byPart: true,
  });
}

function fromAnswer(rule: JsonObject): ListedRule {
  const { error, last_error, next_run_at } = rule;
  return {
    id: textOf(rule.id),
    name: textOf(rule.name),
    file: textOf(rule.file),
    enabled: rule.enabled === true,
    state: textOf(rule.state),
    running_version: textOf(rule.running_version),
    last_fired_at: optionalText(rule.last_fired_at),
    fire_count: typeof rule.fire_count === "number" ? rule.fire_count : 0,
    next_run_at: next_run_at === undefined ? undefined : optionalText(next_run_at),
    last_error: isObject(last_error) ? { at: textOf(last_error.at), message: textOf(last_error.message) } : null,
    problem: isObject(error) ? placed(error) : null,
    warnings: Array.isArray(rule.warnings) ? rule.warnings.length : 0,
  };
}

function placed({ path, message }: JsonObject): string {
  return typeof path === "string" && path !== "" ? `${path}: ${textOf(message)}` : textOf(message);
}

export function rulesOfHome({ rules, stateDb }: Home): ListedRule[] {
  const expressions = createRuleExpressions();
  const reader = createRuleReader(expressions, blueprintsIn(rules, expressions));
  const fired = firedRules(stateDb);
  return ruleFilesIn(rules).map((file): ListedRule => {
    const text = readRuleFile(join(rules, file));
    const read = text?.ok ? reader.read(text.text, { file, id: file }) : undefined;
    const rule = read?.good?.rule;
    const problem = text?.ok === false ? text.problem : read?.problems[0];
    const id = rule?.id ?? read?.claimedId ?? file;
    const { at = null, count = 0 } = fired?.get(id) ?? {};
    return {
      ...{ id, file, name: rule?.name ?? file, enabled: rule?.enabled ?? false },
      state: problem ? "broken" : rule?.enabled ? "enabled" : "disabled",
      running_version: problem ? "none" : "current",
      last_fired_at: at === null ? null : new Date(at).toISOString(),
      ...{ fire_count: count, next_run_at: undefined, last_error: null },
      problem: problem ? placed(problem as unknown as JsonObject) : null,
      warnings: read?.warnings.length ?? 0,
    };
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function optionalText(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
