// The text of a whole rule that came as JSON. Where only what stands at its top differs from the rule in the file, those
// places of its text are changed; else the text is written anew, and its comments are gone.

import { type Json, type JsonObject, jsonEqual } from "../../core/json.ts";
import { stringifyToml } from "../../core/toml.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { setTopLevel } from "../parse/edit.ts";
import { readRuleText } from "../parse/read.ts";
import type { RuleShape } from "../parse/shape.ts";
import { writeRon } from "../parse/write.ts";
import type { Rule } from "../rule.ts";
import type { RuleFile } from "./files.ts";

/** The file's text with the places changed in which its rule differs; undefined where that is not possible. */
export function editedText({ text, good, problems }: RuleFile, wanted: Rule): string | undefined {
  if (text === undefined || !good || problems.length > 0) return undefined;
  const [before, after] = [good.rule as JsonObject, wanted as JsonObject];
  let edited = text;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = after[key];
    if (jsonEqual(before[key], value)) continue;
    const result = isSettable(value) ? setTopLevel(edited, key, value) : undefined;
    if (!result?.ok) return undefined;
    edited = result.text;
  }
  return edited;
}

function isSettable(value: Json | undefined): value is string | number | boolean | string[] {
  return Array.isArray(value)
    ? value.every((item) => typeof item === "string")
    : ["string", "number", "boolean"].includes(typeof value);
}

// The order in which people write a rule; keys that are not listed come after these.
const ORDER = [
  ...["id", "name", "description", "enabled", "priority", "cooldown_secs", "tags", "run_mode", "max_queued"],
  ...["catch_up_secs", "variables", "trigger_label", "trigger", "triggers", "trigger_condition"],
  ...["required_expression", "conditions", "actions"],
];

/** Throws HubError `invalid` for what no file can hold. TOML cannot hold everything (null): that is written as RON. */
export function textOf(rule: JsonObject, { format, shape }: { format?: RuleFormat; shape: RuleShape }): string {
  const place = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  const ordered = Object.fromEntries(Object.entries(rule).sort(([a], [b]) => place(a) - place(b)));
  return (format === "toml" ? tomlText(ordered) : undefined) ?? writeRon(ordered, shape);
}

function tomlText(rule: JsonObject): string | undefined {
  try {
    const text = stringifyToml(rule);
    return jsonEqual(readRuleText(text).value, rule) ? text : undefined;
  } catch {
    return undefined;
  }
}
