// The sentence that says which condition decided, by the conditions that the hub really has.
import { expect, test } from "bun:test";
import type { Json } from "../../../src/kit/schema/json.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { createConditionScope } from "../../../src/rules/engine/scope.ts";
import { sentenceFor, whyFailed } from "../../../src/rules/engine/why.ts";
import type { Typed } from "../../../src/rules/model/define.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { createHouse } from "../support/host.ts";

const NOON = Date.parse("2026-01-15T12:00:00Z");
const house = createHouse({ at: new Date(NOON).toISOString() });
house.put("hall", { attributes: { lux: 45, state: "open" }, lastChanged: { lux: NOON - 12_000 } });
house.modes.set("night", false);
house.modes.set("away", true);
house.modes.set("party", true);

function why(...asked: Typed[]): string | undefined {
  const scope = createConditionScope(
    {
      evaluate: createRuleExpressions().evaluate,
      conditions: new Map(conditions.map((condition) => [condition.type, condition])),
      msSince: (at) => NOON - at,
    },
    { host: house, trigger: {}, vars: {}, conditions: [] },
  );
  return whyFailed(asked.map((condition) => scope.ask(condition)));
}

const lux = (op: string, value: Json): Typed => ({
  ...{ type: "device_state", device_id: "hall", attribute: "lux", op, value },
});
const mode = (id: string, on = true): Typed => ({ type: "mode_is", mode_id: id, on });
const group = (type: string, ...inner: Typed[]): Typed => ({ type, conditions: inner });

test.each([
  ["a value", lux("Lt", 30), "hall.lux was 45, must be below 30"],
  ["a value that it must not have", lux("Ne", 45), "hall.lux was 45, must not be 45"],
  [
    "a text",
    { type: "device_state", device_id: "hall", attribute: "state", op: "Eq", value: "shut" },
    'hall.state was "open", must be "shut"',
  ],
  ["a mode", mode("night"), "mode night was off, must be on"],
  ["the time", { type: "time_window", start: "22:00", end: "06:00" }, "it was thu 12:00:00, must be 22:00–06:00"],
  [
    "how long",
    { type: "time_elapsed", device_id: "hall", attribute: "lux", duration_secs: 600 },
    "hall.lux was unchanged for 12 s, must be unchanged for at least 600 s",
  ],
  [
    "a device that is not there",
    { type: "device_state", device_id: "attic", attribute: "lux", op: "Lt", value: 30 },
    'there is no device "attic"; wanted: attic.lux is below 30',
  ],
  ["an expression", { type: "expression", expression: "mode('night')" }, "mode('night') was false, must be true"],
  [
    "one that cannot be evaluated",
    { type: "expression", expression: "mode('x')" },
    expect.stringContaining("mode('x') could not be evaluated:"),
  ],
  ["in and", group("and", mode("away"), lux("Lt", 30)), 'hall.lux was 45, must be below 30 (in "and")'],
  [
    "in or: each of them would have done",
    group("or", lux("Lt", 30), mode("night")),
    'hall.lux was 45, must be below 30; or mode night was off, must be on (in "or")',
  ],
  ["in not: what passed", group("not", mode("away")), 'mode away was on, must not be on (in "not")'],
  [
    "in or, in not: what passed",
    { type: "not", condition: group("or", mode("night"), lux("Gt", 30)) },
    'hall.lux was 45, must not be above 30 (in "or", in "not")',
  ],
  [
    "in and, in not: one of them would have done",
    { type: "not", condition: group("and", mode("away"), lux("Gt", 30)) },
    'mode away was on, must not be on; or hall.lux was 45, must not be above 30 (in "and", in "not")',
  ],
  [
    "not in not",
    { type: "not", condition: { type: "not", condition: mode("night") } },
    'mode night was off, must be on (in "not", in "not")',
  ],
  [
    "too many in xor",
    group("xor", mode("away"), mode("party"), mode("night")),
    '2 of 3 passed, exactly one must: mode away is on; mode party is on (in "xor")',
  ],
  [
    "none in xor",
    group("xor", mode("night"), lux("Lt", 30)),
    '0 of 2 passed, exactly one must: mode night is on; hall.lux is below 30 (in "xor")',
  ],
  [
    "many in or",
    group("or", ...[1, 2, 3, 4, 5].map((value) => lux("Lt", value))),
    'hall.lux was 45, must be below 1; or hall.lux was 45, must be below 2; or hall.lux was 45, must be below 3; or 2 more (in "or")',
  ],
] as [string, Typed, string][])("%s", (_, condition, expected) => {
  expect(why(mode("away"), condition)).toEqual(expected);
});

test("of several conditions the first, and how many more", () => {
  expect(why(mode("night"), mode("away"), lux("Lt", 1))).toBe("mode night was off, must be on; 1 more did not pass");
  expect(why(mode("away"))).toBeUndefined();
});

test("with the name of the rule", () => {
  const trace = { outcome: "conditions_failed", why: "hall.lux was 45, must be below 30" } as const;
  expect(sentenceFor("Hall lamp at night", trace)).toBe(
    '"Hall lamp at night" did not run: hall.lux was 45, must be below 30',
  );
});
