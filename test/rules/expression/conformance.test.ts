// The cases of CEL's own conformance suite (from @bufbuild/cel-spec) in the hub's CEL: all those of ten of its files that need no
// protobuf messages. A value is compared by CEL itself, so that its kind counts as well.
import { expect, test } from "bun:test";
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import { createCompiler } from "../../../src/rules/expression/compile.ts";
import { createBareEnvironment } from "../../../src/rules/expression/environment.ts";

const FILES = [
  ...["basic", "comparisons", "conversions", "fields", "lists"],
  ...["logic", "macros", "parse", "string", "timestamps"],
];

/** What is not as in CEL's suite, and why. A case that is right after all fails, so that it leaves this list. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "what is seen to be wrong before it runs is refused, also beside an answer that hides it": [
    ...["basic/variables/unbound_is_runtime_error", "basic/functions/unbound_is_runtime_error"],
    ...["comparisons/eq_literal/not_eq_list_length", "logic/conditional/mixed_type"],
    ...["logic/AND/short_circuit_type_left", "logic/AND/short_circuit_type_right"],
    ...["logic/OR/short_circuit_type_left", "logic/OR/short_circuit_type_right"],
    ...["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "namespace"].map(
      (name) => `parse/receiver_function_names/${name}`,
    ),
    ...["package", "return", "var", "void", "while"].map((name) => `parse/receiver_function_names/${name}`),
  ],
  "no variable has a point in its name": [
    "fields/qualified_identifier_resolution/qualified_ident",
    "fields/qualified_identifier_resolution/map_field_select",
    "fields/qualified_identifier_resolution/qualified_identifier_resolution_unchecked",
    "fields/qualified_identifier_resolution/ident_with_longest_prefix_check",
  ],
  "times are kept to the millisecond": [
    "timestamps/timestamp_conversions/toString_timestamp_nanos",
    "timestamps/timestamp_arithmetic/add_time_to_duration_nanos_positive",
    "timestamps/timestamp_range/add_duration_nanos_over",
  ],
};
const MESSAGES = /TestAllTypes|GlobalEnum|google\.protobuf\.(?!Timestamp|Duration)|type\.googleapis/;
const NOT_NAMES = /^(true|false|null)$|\./;

type Value = Readonly<Record<string, unknown>>;

interface Case {
  name: string;
  expr: string;
  value?: Value;
  typedResult?: { result?: Value };
  evalError?: unknown;
  container?: string;
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

/** What it gives where the variables of the case have their values, or the problem. */
function answer(text: string, { bindings = {} }: Case): { value: unknown } | { problem: string } {
  const bound = Object.entries(bindings)
    .filter(([name]) => !NOT_NAMES.test(name))
    .reduce((inner, [name, { value }]) => `cel.bind(${name}, dyn(${literal(value)}), ${inner})`, text);
  const compiled = createCompiler(createBareEnvironment([]), [])(bound);
  if (!compiled.ok) return { problem: compiled.problem.message };
  const ran = compiled.run({});
  return ran.ok ? { value: ran.value } : { problem: ran.problem.message };
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

const cases = (tests as Suite).suites
  ?.filter(({ name }) => FILES.includes(name))
  .flatMap(casesOf)
  .filter(
    (one) => !MESSAGES.test(JSON.stringify([one.expr, one.container ?? "", one.bindings ?? {}, one.value ?? {}])),
  );

for (const file of FILES)
  test(`CEL's cases of ${file}`, () => {
    const own = cases?.filter(({ name }) => name.startsWith(`${file}/`)) ?? [];
    expect(own.length).toBeGreaterThan(20);
    const listed = Object.values(OTHERWISE).flat();
    const problems = own.map((one) => [one.name, wrong(one)] as const).filter(([, problem]) => problem !== undefined);
    expect(problems.filter(([name]) => !listed.includes(name))).toEqual([]);
    expect(problems.map(([name]) => name).sort()).toEqual(listed.filter((name) => name.startsWith(`${file}/`)).sort());
  });
