// Completion in a rule's text: kinds, their keys, and the names of what the house has.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { FieldSchema, Vocabulary, Word } from "../../../model/rules/rule.ts";
import { devices } from "../../../state/house/devices.ts";
import { known, type Named } from "../words/rule-names.ts";

type Format = "ron" | "toml";
const NAMED: readonly string[] = ["mode", "scene", "rule", "channel", "area"];

export function completeRule(
  context: CompletionContext,
  { vocabulary, format }: { vocabulary: Vocabulary; format: Format },
): CompletionResult | null {
  const before = context.state.doc.sliceString(0, context.pos);
  const inText = /(?:^|[\s,([{])(\w+)\s*[:=]\s*(?:\[[^\]\n]*)?"([^"\n]*)$/.exec(before);
  if (inText) {
    const [, key = "", typed = ""] = inText;
    return result(context.pos - typed.length, valuesFor(key, before, vocabulary, format));
  }
  const word = context.matchBefore(/\w+$/);
  if (!word && !context.explicit) return null;
  // Inside a text or a comment there is nothing to complete.
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if ((line.match(/(?<!\\)"/g) ?? []).length % 2 === 1 || /(^|\s)(\/\/|#)/.test(line)) return null;
  const from = word?.from ?? context.pos;
  return result(from, [
    ...keysFor(before.slice(0, from), vocabulary, format),
    ...(format === "ron" ? kinds(vocabulary) : []),
  ]);
}

function result(from: number, options: Completion[]): CompletionResult | null {
  return options.length === 0 ? null : { from, options, validFor: /^[\w.:/ -]*$/ };
}

function everyWord({ triggers, conditions, actions }: Vocabulary): Word[] {
  return [...triggers, ...conditions, ...actions];
}

const upperCamelCase = (type: string): string =>
  type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function kinds(vocabulary: Vocabulary): Completion[] {
  return everyWord(vocabulary).map(({ type, doc }) => {
    const name = upperCamelCase(type);
    return { label: name, apply: `${name}()`, type: "type", info: doc };
  });
}

/** The keys of the kind around this place, else those of a rule. */
function keysFor(before: string, vocabulary: Vocabulary, format: Format): Completion[] {
  const kind = format === "ron" ? ronKind(before) : tomlKind(before);
  const word = everyWord(vocabulary).find(({ type }) => type === kind || upperCamelCase(type) === kind);
  const schema = word?.schema ?? vocabulary.rule;
  const extra = word === undefined ? { trigger: {} } : {};
  return Object.entries({ ...schema.properties, ...extra })
    .filter(([key]) => format === "toml" || key !== "type")
    .map(([key, field]) => ({
      label: key,
      apply: format === "ron" ? `${key}: ` : `${key} = `,
      type: "property",
      ...(field.description !== undefined && { info: field.description }),
    }));
}

/** The name before the bracket that is still open. */
function ronKind(before: string): string | undefined {
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const char = before[at];
    if (char === ")" || char === "]" || char === "}") depth++;
    else if (char === "(" || char === "[" || char === "{") {
      if (depth === 0) return char === "(" ? /(\w+)\s*$/.exec(before.slice(0, at))?.[1] : undefined;
      depth--;
    }
  }
  return undefined;
}

function tomlKind(before: string): string | undefined {
  const table = before.slice(before.lastIndexOf("\n["));
  return table.startsWith("\n[") ? /^type\s*=\s*"(\w+)"/m.exec(table)?.[1] : undefined;
}

function valuesFor(key: string, before: string, vocabulary: Vocabulary, format: Format): Completion[] {
  if (key === "type" && format === "toml") return typesFor(before, vocabulary);
  const field = fieldNamed(key, vocabulary);
  const item = field?.items ?? field;
  if (item === undefined) return [];
  if (item["x-names"] === "device") return deviceIds();
  if (item["x-attribute"]) return attributes(before);
  const names = item["x-names"];
  if (names !== undefined && NAMED.includes(names)) {
    const labels = [...known.value[names as Named]].map(([label, detail]) => ({ label, detail }));
    return names === "channel" ? [...labels, { label: "log" }, { label: "all" }] : labels;
  }
  return (item.anyOf ?? []).flatMap((branch) => (typeof branch.const === "string" ? [{ label: branch.const }] : []));
}

function typesFor(before: string, { triggers, conditions, actions }: Vocabulary): Completion[] {
  const table = /\n?\[+([\w.]+)\]+[^[]*$/.exec(before)?.[1] ?? "";
  const words = table.includes("trigger") ? triggers : table.includes("condition") ? conditions : actions;
  return words.map(({ type, doc }) => ({ label: type, info: doc }));
}

function fieldNamed(key: string, vocabulary: Vocabulary): FieldSchema | undefined {
  const all = [vocabulary.rule, ...everyWord(vocabulary).map(({ schema }) => schema)];
  return all.map(({ properties }) => properties?.[key]).find((field) => field !== undefined);
}

function deviceIds(): Completion[] {
  return [...devices.value].map(([label, device]) => ({ label, detail: device.peek().name }));
}

/** Of the device that was named last, else of all. */
function attributes(before: string): Completion[] {
  const [, id = ""] = /[\s\S]*device_ids?\s*[:=]\s*\[?\s*"([^"\n]+)"/.exec(before) ?? [];
  const device = devices.value.get(id)?.peek();
  const names = device
    ? Object.keys(device.attributes)
    : [...new Set([...devices.value.values()].flatMap((one) => Object.keys(one.peek().attributes)))].sort();
  return names.map((label) => ({ label }));
}
