// Reads a blueprint's text: its inputs and the rule they make, or every reason why it is none, each with its place. The rule is
// tried with made-up values, so that a mistake is found here and not by the first person who uses it.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { readRuleText } from "../parse/read.ts";
import type { RuleShape } from "../parse/shape.ts";
import { type FileProblem, unforeseen } from "../read/file-problem.ts";
import { readRule, WrittenRule } from "../read/rule.ts";
import { expand } from "./expand.ts";
import { conditionProblems, FOR_EACH, forEachProblems, IF_INPUT, UNLESS_INPUT } from "./if-input.ts";
import { inputTypes, optionsOf } from "./input-types.ts";
import { type BlueprintInput, type InputValues, readInputs } from "./inputs.ts";
import { nameProblem, piecesOf } from "./placeholders.ts";

export interface Blueprint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** In the order of the file. */
  readonly inputs: readonly BlueprintInput[];
  /** The rule with its placeholders, without `id`, `name` and `description`. */
  readonly rule: JsonObject;
}

export interface ReadBlueprint {
  readonly format: RuleFormat;
  /** There when there are no problems. */
  readonly blueprint?: Blueprint;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

export interface BlueprintReading {
  shape: RuleShape;
  /** What is wrong with a CEL text, if something is. */
  checkExpression(text: string): string | undefined;
  id: string;
  /** The name of its file. */
  file: string;
  /** Part of the hub, whose tests have tried its rule. */
  isTried?: boolean;
}

const NESTED = "a blueprint cannot use another blueprint: write here what that one says";
const MAX_SHOWN = 20;

/** Never throws. */
export function readBlueprint(text: string, reading: BlueprintReading): ReadBlueprint {
  try {
    return read(text, reading);
  } catch (error) {
    return { format: "toml", problems: [unforeseen(text, error)], warnings: [] };
  }
}

function read(text: string, { shape, checkExpression, id, file, isTried = false }: BlueprintReading): ReadBlueprint {
  const source = readRuleText(text, { shape, file });
  const { format, problems, warnings, value } = source;
  if (!value) return { format, problems, warnings };
  const found: Problem[] = [];
  const { inputs: declared, name, description = "", id: _, ...rule } = value;
  if (value.use !== undefined) found.push({ path: "use", message: NESTED });
  if (typeof name !== "string" || name === "") found.push({ path: "name", message: "missing: its name, for people" });
  if (typeof description !== "string") found.push({ path: "description", message: "must be a text" });
  const inputs = readInputs(declared, found);
  if (found.length === 0) found.push(...placeProblems(rule, inputs));
  if (found.length === 0 && !isTried) found.push(...trialProblems({ rule, inputs, checkExpression }));
  const located = found
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => ({ path, ...source.problemAt(path, message) }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
  const blueprint = { id, name: String(name), description: String(description), inputs, rule };
  return {
    ...{ format, problems: located },
    warnings: [
      ...warnings,
      ...unused(rule, inputs).map(({ path, message }) => ({ path, ...source.problemAt(path, message) })),
    ],
    ...(located.length === 0 && { blueprint }),
  };
}

/** Placeholders and conditions that name no input. */
function placeProblems(rule: JsonObject, inputs: readonly BlueprintInput[]): Problem[] {
  const ids = inputs.map(({ id }) => id);
  const found: Problem[] = [];
  visit(rule, "", ({ key, value, path, inList }) => {
    if (key === IF_INPUT || key === UNLESS_INPUT) found.push(...conditionProblems(value, path, inputs));
    else if (key === FOR_EACH && inList) found.push(...forEachProblems(value, path, inputs));
    else if (key === FOR_EACH) found.push({ path, message: "only a table in a list can be repeated" });
    for (const text of [key, ...(typeof value === "string" ? [value] : [])]) {
      for (const piece of piecesOf(text) ?? []) {
        const message = typeof piece === "string" ? undefined : nameProblem(piece.name, ids);
        if (message !== undefined) found.push({ path, message });
      }
    }
  });
  return found;
}

function unused(rule: JsonObject, inputs: readonly BlueprintInput[]): Problem[] {
  const text = JSON.stringify(rule);
  return inputs
    .filter(({ id }) => !text.includes(`"${id}"`) && !new RegExp(`\\$\\{\\s*${id}\\s*\\}`).test(text))
    .map(({ id }) => ({ path: `inputs.${id}`, message: `nothing uses the input "${id}"` }));
}

interface Visited {
  key: string;
  value: Json;
  path: string;
  /** Whether the table with this key is an item of a list. */
  inList: boolean;
}

function visit(value: Json, path: string, each: (found: Visited) => void, inList = false): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const at = `${path}[${index}]`;
      if (isObject(item) || Array.isArray(item)) visit(item, at, each, true);
      else each({ key: "", value: item, path: at, inList });
    }
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      each({ key, value: item, path: at, inList });
      if (typeof item === "object") visit(item, at, each);
    }
  }
}

interface Trial {
  rule: JsonObject;
  inputs: readonly BlueprintInput[];
  checkExpression: (text: string) => string | undefined;
}

/** What is wrong with the rules that made-up values make, at its place in the blueprint; each place once. */
function trialProblems({ rule, inputs, checkExpression }: Trial): Problem[] {
  const found = new Map<string, Problem>();
  const unknown = Object.keys(rule).filter((key) => !Object.hasOwn(WrittenRule.properties, key) && key !== "use");
  for (const key of unknown) {
    const known = [...Object.keys(WrittenRule.properties), "inputs"];
    found.set(key, { path: key, message: `unknown key "${key}"${didYouMean(key, known)}` });
  }
  for (const values of trialsOf(inputs)) {
    const { value, moved, problems } = expand({ rule, inputs, values, names: { id: "an id", name: "A name" } });
    const read = readRule({ ...value, id: "an id", name: "A name" }, checkExpression);
    for (const { path, message, warning } of [...problems, ...read.problems]) {
      const at = sourceOf(path, moved);
      if (!warning && !found.has(at)) found.set(at, { path: at, message });
    }
  }
  return [...found.values()];
}

/** The path in the blueprint for one in the rule it makes. */
export function sourceOf(path: string, moved: ReadonlyMap<string, string>): string {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) {
    const source = moved.get(path.slice(0, end));
    if (source !== undefined) return source + path.slice(end);
  }
  return path;
}

const MAX_TRIALS = 60;

function trialsOf(inputs: readonly BlueprintInput[]): InputValues[] {
  const everything = new Map(inputs.map((input) => [input.id, sampleFor(input)]));
  const needed = new Map(
    inputs
      .filter((input) => input.required || input.default !== undefined)
      .map((input) => [input.id, sampleFor(input)]),
  );
  const turned = inputs.flatMap((input) =>
    alternativesOf(input).map((value): InputValues => new Map([...everything, [input.id, value]])),
  );
  return [everything, needed, ...turned].slice(0, MAX_TRIALS);
}

function alternativesOf({ type, declared }: BlueprintInput): Json[] {
  if (type === "boolean") return [false];
  return type === "choice"
    ? optionsOf(declared.options)
        .slice(1)
        .map(({ value }) => value)
    : [];
}

function sampleFor(input: BlueprintInput): Json {
  return readAs(input, input.default ?? inputTypes[input.type]?.sample(input.declared) ?? null);
}

function readAs({ type }: BlueprintInput, value: Json): Json {
  return inputTypes[type]?.read?.(value) ?? value;
}
