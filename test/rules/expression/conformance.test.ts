// The cases of CEL's own conformance suite (from @bufbuild/cel-spec) in the hub's CEL: all those of ten of its files, but for those
// about protobuf messages. A value is compared by CEL itself, so that its kind counts as well.
import { expect, test } from "bun:test";
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { boundTree, prepareTree } from "../../../src/rules/expression/bounds.ts";
import { type CelNode, nodesOf } from "../../../src/rules/expression/cel-tree.ts";
import { createCompiler, toJson } from "../../../src/rules/expression/compile.ts";
import { createBareEnvironment } from "../../../src/rules/expression/environment.ts";
import { createMeter } from "../../../src/rules/expression/meter.ts";

const FILES = [
  ...["basic", "comparisons", "conversions", "fields", "lists"],
  ...["logic", "macros", "parse", "string", "timestamps"],
];

/** How many cases write a message of protobuf, by their groups: the home has JSON, and no protobuf types. */
const ABOUT_MESSAGES: Readonly<Record<string, number>> = {
  "comparisons/eq_literal": 3,
  "comparisons/eq_wrapper": 59,
  "comparisons/ne_literal": 10,
  "parse/nest": 1,
  "parse/repeat": 2,
  "parse/struct_field_names": 17,
};
const MESSAGES = /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)/;
/** A message of one field, in the cases about what may stand between two words; a map serves there as well. */
const ONE_FIELD = /\.(?:\s|\/\/ @\n)*cel\..*?TestAllTypes((?:\s|\/\/ @\n)*\{(?:\s|\/\/ @\n)*)single_int64/s;
const NOT_NAMES = /^(true|false|null)$|\./;

type Value = Readonly<Record<string, unknown>>;

interface Case {
  name: string;
  expr: string;
  value?: Value;
  typedResult?: { result?: Value };
  evalError?: unknown;
  container?: string;
  /** It is run as it is read, without a check of its types. */
  disableCheck?: boolean;
  bindings?: Readonly<Record<string, { value: Value }>>;
}

interface Suite {
  name: string;
  suites?: readonly Suite[];
  tests?: readonly { original: unknown }[];
}

function casesOf({ name, suites = [], tests = [] }: Suite): Case[] {
  const own = tests.map(({ original }) => original as Case);
  return [...suites.flatMap(casesOf), ...own].map((one) => ({ ...one, name: `${name}/${one.name}` }));
}

/** As somebody would write it. */
function literal(value: Value): string {
  const [[kind, content] = ["", null]] = Object.entries(value);
  const { values = [], entries = [] } = (content ?? {}) as {
    values?: Value[];
    entries?: { key: Value; value: Value }[];
  };
  if (kind === "uint64Value") return `${content}u`;
  if (kind === "doubleValue") return `double("${content}")`;
  if (kind === "bytesValue") return `b"${[...Buffer.from(String(content), "base64")].map(hex).join("")}"`;
  if (kind === "listValue") return `[${values.map(literal).join(", ")}]`;
  if (kind === "mapValue") return `{${entries.map((one) => `${literal(one.key)}: ${literal(one.value)}`).join(", ")}}`;
  if (kind === "typeValue" || kind === "int64Value") return String(content);
  if (kind !== "objectValue") return JSON.stringify(content);
  const { "@type": type = "", value: text = "" } = content as Record<string, string>;
  return `${type.endsWith("Duration") ? "duration" : "timestamp"}(${JSON.stringify(text)})`;
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

type Answer = { value: Json } | { problem: string };

/** What it gives where the variables of the case have their values, or the problem. */
function answer(text: string, { bindings = {}, disableCheck = false }: Case): Answer {
  const names = Object.keys(bindings);
  const bound = names
    .filter((name) => !NOT_NAMES.test(name))
    .reduce((inner, name) => `cel.bind(${name}, dyn(${literalOf(bindings, name)}), ${inner})`, text);
  // `cel.bind` takes no name with a point in it. Those of the suite are texts, or lists and maps of texts.
  const qualified = names.filter((name) => name.includes("."));
  const values = Object.fromEntries(qualified.map((name) => [name, answered(literalOf(bindings, name))]));
  if (disableCheck) return runUnchecked(bound, values);
  const compiled = createCompiler(createBareEnvironment(qualified), [])(bound);
  if (!compiled.ok) return { problem: compiled.problem.message };
  const ran = compiled.run(values);
  return ran.ok ? { value: ran.value } : { problem: ran.problem.message };
}

function literalOf(bindings: NonNullable<Case["bindings"]>, name: string): string {
  return literal(bindings[name]?.value ?? {});
}

function answered(text: string): Json {
  const given = answer(text, { name: "", expr: text });
  if ("problem" in given) throw new Error(given.problem);
  return given.value;
}

/** As the hub runs it, but what its check refuses is an error only when that part is run: the hub itself refuses all of it before. */
function runUnchecked(text: string, values: JsonObject): Answer {
  try {
    const parsed = createBareEnvironment(Object.keys(values)).parse(text);
    const root = parsed.ast as unknown as CelNode;
    prepareTree(root);
    const refused = new Map<CelNode, unknown>();
    for (const node of nodesOf(root)) refuseLater(node, refused);
    parsed.check();
    boundTree(root, createMeter());
    for (const [node, problem] of refused) if (!RUN_ANYHOW.includes(node.op)) node.evaluate = () => raise(problem);
    return { value: toJson(parsed(values)) };
  } catch (error) {
    return { problem: String(error) };
  }
}

/** These look at the values that they get, whatever their types were. */
const RUN_ANYHOW = ["&&", "||", "?:", "==", "!=", "in", ".", "[]"];

function refuseLater(node: CelNode, refused: Map<CelNode, unknown>): void {
  const { check } = node;
  node.check = (checker, ast, variables) => {
    try {
      return check.call(node, checker, ast, variables);
    } catch (problem) {
      refused.set(node, problem);
      return checker.getType("dyn");
    }
  };
}

function raise(problem: unknown): never {
  throw problem;
}

/** What is wrong with it; undefined if it is as CEL has it. */
function wrong(one: Case): string | undefined {
  if (one.evalError !== undefined) {
    const given = answer(one.expr, one);
    return "problem" in given ? undefined : `gives ${JSON.stringify(given.value)} where CEL refuses it`;
  }
  const value = one.value ?? one.typedResult?.result ?? { boolValue: true };
  const isNothing = value.doubleValue === "NaN";
  const same = isNothing ? `(${one.expr}) != (${one.expr})` : `(${one.expr}) == ${literal(value)}`;
  for (const text of [same, `type(${one.expr}) == type(${literal(value)})`]) {
    const given = answer(text, one);
    if (!("value" in given && given.value === true)) return `${text}: ${JSON.stringify(given)}`;
  }
  return undefined;
}

const cases = ((tests as Suite).suites ?? [])
  .filter(({ name }) => FILES.includes(name))
  .flatMap(casesOf)
  .map((one) => ({ ...one, expr: one.expr.replace(ONE_FIELD, '$1"single_int64"') }));

function isAboutMessages({ expr, container = "", bindings = {}, value = {} }: Case): boolean {
  return MESSAGES.test(JSON.stringify([expr, container, bindings, value]));
}

for (const file of FILES)
  test(`CEL's cases of ${file}`, () => {
    const own = cases.filter((one) => one.name.startsWith(`${file}/`) && !isAboutMessages(one));
    expect(own.length).toBeGreaterThan(20);
    const problems = own.map((one) => [one.name, wrong(one)]).filter(([, problem]) => problem !== undefined);
    expect(problems).toEqual([]);
  });

test("nothing but messages of protobuf is left out", () => {
  const groups = cases.filter(isAboutMessages).map(({ name }) => name.split("/").slice(0, 2).join("/"));
  const counts = Map.groupBy(groups, (group) => group);
  expect(Object.fromEntries([...counts].map(([group, all]) => [group, all.length]))).toEqual(ABOUT_MESSAGES);
});
