// Nothing that a rule can say hangs the hub, fills its memory or reaches into JavaScript.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundTree } from "../../../src/rules/expression/bounds.ts";
import type { CelNode } from "../../../src/rules/expression/cel-tree.ts";
import { createExpressions } from "../../../src/rules/expression/compile.ts";
import { createEnvironment } from "../../../src/rules/expression/environment.ts";
import { createMeter } from "../../../src/rules/expression/meter.ts";
import { examples } from "../../support/examples.ts";
import { ask, createHome } from "./home.ts";

const TOO_MUCH = "does too much: it goes through too many values, or too long ones";

/** `cel.bind(a0, start, cel.bind(a1, <a0 twice>, …))`: doubles with each level. */
function doubling(start: string, twice: (name: string) => string, end: (name: string) => string): string {
  const levels = Array.from({ length: 14 }, (_, index) => index);
  const open = levels.map((level) => `cel.bind(a${level + 1}, ${twice(`a${level}`)}, `).join("");
  return `cel.bind(a0, ${start}, ${open}${end("a14")}${")".repeat(15)}`;
}

describe("what would run away is stopped in bounded time", () => {
  const rows: [string, unknown][] = [
    ['hub_var("big").map(x, x + 1).size()', 10_000],
    ['hub_var("big").map(x, hub_var("big").map(y, x * y)).size()', TOO_MUCH],
    ['hub_var("big").map(x, hub_var("big").map(y, hub_var("big").map(z, 1))).size()', TOO_MUCH],
    ['hub_var("big").exists(x, hub_var("big").exists(y, y < 0))', TOO_MUCH],
    ['hub_var("big").all(x, hub_var("big").all(y, hub_var("big").all(z, true)))', TOO_MUCH],
    ['hub_var("big").exists(x, hub_var("big").exists(y, y < 0)) || true', TOO_MUCH],
    ['hub_var("big").filter(x, x in hub_var("big")).size()', TOO_MUCH],
    ['hub_var("big").filter(x, hub_var("big") == hub_var("big").map(y, y)).size()', TOO_MUCH],
    ['hub_var("big") + hub_var("big")', "works on a list of more than 10000 items"],
    ['hub_var("long") + hub_var("long")', "makes a text of more than 65536 characters"],
    ['hub_var("big").map(x, hub_var("long")).join()', TOO_MUCH],
    ['hub_var("big").map(x, "a").join(hub_var("long"))', TOO_MUCH],
    ['hub_var("big").map(x, hub_var("big"))', TOO_MUCH],
    ['hub_var("long").contains(hub_var("long").substring(0, 30000) + "b")', TOO_MUCH],
    ['hub_var("long").split("")', "works on a list of more than 10000 items"],
    ['hub_var("big").map(x, now().getHours("Europe/Berlin")).size()', TOO_MUCH],
    ['duration(hub_var("digits"))', 'this is not a duration; write "90s", "10m" or "1h30m"'],
    [
      doubling(
        '"aaaaaaaa"',
        (a) => `${a}+${a}`,
        (a) => a,
      ),
      "makes a text of more than 65536 characters",
    ],
    [
      doubling(
        "[1, 2]",
        (a) => `${a}+${a}`,
        (a) => a,
      ),
      "works on a list of more than 10000 items",
    ],
    [
      doubling(
        "[1, 2]",
        (a) => `[${a},${a},${a}]`,
        (a) => a,
      ),
      TOO_MUCH,
    ],
    [
      doubling(
        "[1, 2]",
        (a) => `[${a},${a},${a}]`,
        (a) => `${a} == ${a}`,
      ),
      TOO_MUCH,
    ],
    ["9223372036854775807 * 9223372036854775807", "makes a whole number beyond 64 bits"],
    ["int(1e300)", "makes a whole number beyond 64 bits"],
    ["9".repeat(4000), "makes a whole number beyond 64 bits"],
    ["(".repeat(4000), "is nested deeper than 48 levels"],
    [`vars${".a".repeat(1000)}`, "is nested deeper than 48 levels"],
    [`${"!".repeat(4000)}true`, "has more than 1000 parts; split it up"],
    [`true${" || true".repeat(500)}`, "has more than 1000 parts; split it up"],
    [`1${"+1".repeat(400)}`, 401],
    ["1".padEnd(5000), "is longer than 4096 characters"],
  ];
  for (const [text, expected] of rows)
    test(text.slice(0, 90), () => {
      expect(ask(text)).toEqual(expected as never);
    });

  test("at once, and not only in the end: the home is asked a few hundred times at most", () => {
    for (const [text, most] of [
      ['hub_var("big").exists(x, hub_var("big").exists(y, y < 0))', 100],
      ['hub_var("big").any(x, hub_var("big").any(y, y < 0))', 100],
      ['hub_var("big").count(x, hub_var("big").count(y, y < 0) > 0)', 100],
      ['hub_var("big").all(x, hub_var("big").all(y, hub_var("big").all(z, true)))', 100],
      ['hub_var("big").map(x, hub_var("words").join())', 20],
      ['hub_var("big").map(x, hub_var("words") == [])', 20],
      ['hub_var("big").map(x, "9" in hub_var("words"))', 20],
      ['hub_var("big").map(x, hub_var("long").contains("b"))', 100],
    ] as const) {
      const home = createHome();
      const { variable } = home;
      let asked = 0;
      home.variable = (name) => {
        asked++;
        return variable(name);
      };
      expect(ask(text, {}, home)).toBe(TOO_MUCH);
      expect(asked).toBeLessThan(most);
    }
  });

  test("a house of 5,000 devices is gone through a few times at most, within milliseconds", () => {
    for (const text of [
      'devices("", "").all(a, devices("", "").all(b, a.id != "x"))',
      'devices("", "").any(a, devices("", "").any(b, a.id == "x"))',
      'hub_var("big").map(x, devices("nowhere", ""))',
    ]) {
      const home = createHome();
      let asked = 0;
      const house = Array.from({ length: 5000 }, (_, n) => ({ id: `${n}`, area: "hall", device_type: "light" }));
      home.devices = (area) => {
        asked++;
        return area === "" ? house : [];
      };
      expect(ask(text, {}, home)).toBe(TOO_MUCH);
      expect(asked).toBeLessThan(text.includes("nowhere") ? 2000 : 5);
    }
  });

  test("exists and all do not go through the rest of a list after it", () => {
    for (const quantifier of ["exists(x, x < 0)", "all(x, x >= 0)"]) {
      const meter = createMeter();
      let passedAfter = 0;
      const counting = {
        ...meter,
        pass(value: unknown) {
          if (meter.exceeded) passedAfter++;
          meter.pass(value);
        },
        get exceeded() {
          return meter.exceeded;
        },
      };
      const parsed = createEnvironment(createHome).parse(`hub_var("big").all(y, hub_var("big").${quantifier} || true)`);
      expect(parsed.check().valid).toBe(true);
      boundTree(parsed.ast as unknown as CelNode, counting);
      expect(() => parsed({ trigger: {}, vars: {} })).toThrow(TOO_MUCH);
      expect(passedAfter).toBeLessThan(20);
    }
  });

  test("and the next evaluation starts afresh", () => {
    const expressions = createExpressions();
    const heavy = expressions.compile('hub_var("big").exists(x, hub_var("big").exists(y, y < 0))');
    const light = expressions.compile('hub_var("big").exists(x, x == 9000)');
    if (!heavy.ok || !light.ok) throw new Error("must compile");
    const home = createHome();
    for (let round = 0; round < 3; round++) {
      expect(heavy.program.evaluate(home).ok).toBe(false);
      expect(light.program.evaluate(home)).toEqual({ ok: true, value: true });
    }
  });
});

describe("JavaScript's insides are out of reach", () => {
  const values = [
    "now()",
    "vars",
    "trigger",
    '"text"',
    "[1]",
    '{"a": 1}',
    "google",
    "cel",
    'duration("1s")',
    "1u",
    "type(1)",
    'b"x"',
  ];
  const names = ["constructor", "__proto__", "prototype", "toString", "valueOf", "getTime", "length", "hasOwnProperty"];
  const isRefused = (text: string): boolean => {
    const compiled = createExpressions().compile(text);
    return !compiled.ok || !compiled.program.evaluate(createHome()).ok;
  };
  for (const value of values)
    test(value, () => {
      for (const name of names) {
        expect(isRefused(`${value}.${name}`)).toBe(true);
        expect(isRefused(`${value}["${name}"]`)).toBe(true);
        expect(isRefused(`dyn(${value})["${name.slice(0, 3)}" + "${name.slice(3)}"]`)).toBe(true);
        expect(isRefused(`dyn(${value}).${name}.${name}`)).toBe(true);
        const has = ask(`has(${value}.${name})`);
        expect(has === false || typeof has === "string").toBe(true);
      }
    });

  test("a device called like one of them is just unknown", () => {
    expect(ask('"constructor" in vars')).toBe(false);
    expect(ask('{"toString": 1} == {"x": 1}')).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test("whatever the text, there is an answer or a problem with a place in it", () => {
  const word = fc.constantFrom(
    ...[
      'device_state("lamp")',
      ".temperature",
      "trigger",
      "vars",
      "now()",
      "1",
      "2.5",
      '"a"',
      "[1, 2]",
      "null",
      "true",
      "d",
    ],
    ...[
      "==",
      "+",
      "-",
      "<",
      "&&",
      "||",
      "!",
      "?",
      ":",
      "(",
      ")",
      "[",
      "]",
      "in",
      ".map(d,",
      ".exists(d,",
      ".matches(",
      "has(",
      ".",
      ",",
    ],
    ...[
      'hub_var("big")',
      "size(",
      'duration("1s")',
      "\n",
      "int(",
      "{",
      "}",
      "cel.bind(d,",
      "__proto__",
      "\\",
      "'",
      "=",
    ],
  );
  const expressions = createExpressions();
  const home = createHome();
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), (words) => {
      const text = words.join(" ");
      const compiled = expressions.compile(text);
      const result = compiled.ok ? compiled.program.evaluate(home) : compiled;
      if (result.ok) return JSON.stringify(result.value) !== undefined;
      const { line, column, message } = result.problem;
      return message.length > 0 && line >= 1 && line <= text.split("\n").length && column >= 1;
    }),
    { numRuns: examples(3000) },
  );
});
