// Every operator, function and method on values of every kind, known beforehand and not: an answer, or a refusal in plain words.
import { expect, test } from "bun:test";
import { createExpressions } from "../../../src/rules/expression/compile.ts";
import { createEnvironment } from "../../../src/rules/expression/environment.ts";
import { createHome } from "./home.ts";

const VALUES = [
  ...["null", "true", "0", "9223372036854775807", "-9223372036854775808", "5u", "2.5", "1.0 / 0.0"],
  ...['"a"', '"2026-06-15T11:00:00Z"', 'b"a\\xff"', "[]", '[1, "a", null]', "{}", '{"a": 1}'],
  ...['{1: "x", true: 2}', "now()", 'duration("-1.5s")', "int", "google", "cel", "trigger"],
];
const OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%", "&&", "||"];
/** What only the library or JavaScript says. */
const UNPLAIN =
  /\[object|undefined|Type<|overlaps|not a function|Cannot|BigInt|Symbol|NaN|proto\w*\.|overload|constructor|dyn\b(?!\()/;

function unplain(texts: readonly string[]): string[] {
  const home = createHome();
  const { compile } = createExpressions();
  return texts.flatMap((text) => {
    const compiled = compile(text);
    const given = compiled.ok ? compiled.program.evaluate(home) : compiled;
    return given.ok || !UNPLAIN.test(given.problem.message) ? [] : [`${text}: ${given.problem.message}`];
  });
}

/** As it is, and as a value of which nothing is known before it is there. */
function bothWays(value: string): string[] {
  return [value, `dyn(${value})`];
}

test("operators with two sides", () => {
  // Whether only the left side is known or only the right one makes no difference.
  const pairs = VALUES.flatMap((left) => VALUES.map((right) => [left, right] as const));
  const texts = OPERATORS.flatMap((operator) =>
    pairs.flatMap(([left, right]) => [
      ...[`(${left}) ${operator} (${right})`, `dyn(${left}) ${operator} dyn(${right})`],
      `(${left}) ${operator} dyn(${right})`,
    ]),
  );
  expect(unplain(texts)).toEqual([]);
});

test("signs, conditions, items, members, and what goes through a list", () => {
  const patterns = [
    ...["!X", "-X", "X ? 1 : 2", "true ? X : 1", "X[0]", 'X["a"]', "X[1u]", "X[true]", "X.a", "has(X.a)", "[1][X]"],
    ...["{X: 1}", "X.exists(e, e == 1)", "X.all(e, e > 1)", "X.map(e, e + 1)", "X.filter(e, e)", "X.exists_one(e, e)"],
    ...["X.any(e, e == 1)", "X.count(e, e.a)", "cel.bind(v, X, v)", "[X] == [1]", '{"a": X} == {"a": 1.0}', "X"],
  ];
  const texts = patterns.flatMap((pattern) =>
    VALUES.flatMap(bothWays).map((value) => pattern.replace("X", `(${value})`)),
  );
  expect(unplain(texts)).toEqual([]);
});

test("functions and methods", () => {
  const { functions } = createEnvironment(createHome).getDefinitions();
  const calls = new Set(
    functions.map(({ name, receiverType, params }) => `${receiverType ? "R." : ""}${name}/${params.length}`),
  );
  const values = VALUES.flatMap(bothWays);
  const texts = [...calls].flatMap((call) => {
    const [name = "", count] = call.split("/");
    if (["has", "bind"].includes(name.replace("R.", ""))) return [];
    return values.flatMap((value, index) => {
      const args = Array.from({ length: Number(count) }, (_, at) => values[(index + 5 * at) % values.length]);
      const receivers = name.startsWith("R.") ? [value, '"a"', "[1]", "now()"] : [""];
      return receivers.map((receiver) => `${name.replace("R", `(${receiver})`)}(${args.join(", ")})`);
    });
  });
  expect(texts.length).toBeGreaterThan(1000);
  expect(unplain(texts)).toEqual([]);
});
