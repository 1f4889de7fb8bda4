// A rule put into the text of its version before: everything that is the same keeps its lines and comments.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { composeText } from "../../../src/rules/store/check-text.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";

const RON = `// The hall.
(
    id: "a", // mine
    name: "Hall",
    trigger: DeviceStateChanged(device_id: "motion", attribute: "motion", to: true), // a movement
    conditions: [
        // Only in the dark.
        Sun(position: "below_horizon"),
        ModeIs(mode_id: "night"), // not by day
    ],
    actions: [
        // First the lamp.
        SetDeviceState(device_id: "lamp", state: (on: true, brightness: 60)),
        Delay(300), // five minutes
        SetDeviceState(device_id: "lamp", state: (on: false)),
    ],
)
`;
const TOML = `# The hall.
id = "a" # mine
name = "Hall"

# A movement.
[trigger]
type = "device_state_changed"
device_id = "motion"
attribute = "motion"
to = true

# Only in the dark.
[[conditions]]
type = "sun"
position = "below_horizon" # down

# First the lamp.
[[actions]]
type = "set_device_state"
device_id = "lamp"
state = { on = true, brightness = 60 }

# Five minutes.
[[actions]]
type = "delay"
duration_secs = 300
`;

type Part = JsonObject;
interface Parts extends JsonObject {
  triggers: Part[];
  conditions: Part[];
  actions: Part[];
}

const reader = createRuleReader(createRuleExpressions());
const ruleIn = (text: string): Parts => reader.read(text).good?.rule as unknown as Parts;
const moved = <T>([first, ...rest]: readonly T[]): T[] => [...rest, ...(first === undefined ? [] : [first])];
const changed = (part: Part | undefined, fields: JsonObject): Part => ({ ...part, ...fields });

const notify = { type: "notify", channel: "log", message: 'A "lamp"' };
const edits: [name: string, change: (rule: Parts) => Partial<Parts>, lost: RegExp | undefined][] = [
  ["a name", () => ({ name: "Stairs" }), undefined],
  [
    "a value in an action",
    ({ actions: [a, ...b] }) => ({ actions: [changed(a, { device_id: "fan" }), ...b] }),
    undefined,
  ],
  [
    "a value in a value",
    ({ actions: [a, ...b] }) => ({ actions: [changed(a, { state: { on: true, brightness: 80 } }), ...b] }),
    undefined,
  ],
  ["a value in the trigger", ({ triggers: [a] }) => ({ triggers: [changed(a, { device_id: "door" })] }), undefined],
  ["a second trigger", ({ triggers }) => ({ triggers: [...triggers, { type: "system_started" }] }), undefined],
  ["an action at the end", ({ actions }) => ({ actions: [...actions, notify] }), undefined],
  ["an action at the beginning", ({ actions }) => ({ actions: [notify, ...actions] }), undefined],
  [
    "a condition more",
    ({ conditions }) => ({ conditions: [...conditions, { type: "mode_is", mode_id: "x", on: true }] }),
    undefined,
  ],
  ["another order", ({ actions }) => ({ actions: moved(actions) }), undefined],
  ["an action less", ({ actions: [a, ...rest] }) => ({ actions: [a ?? {}, ...rest.slice(1)] }), /five minutes/i],
  ["a cooldown where there was none", () => ({ cooldown_secs: 60 }), undefined],
];

describe.each([
  ["RON", RON],
  ["TOML", TOML],
])("%s", (_, text) => {
  const comments = [...text.matchAll(/(?:\/\/|#) (.+)$/gm)].map(([, words = ""]) => words);

  test.each(edits)("%s", (_name, change, lost) => {
    const rule = ruleIn(text);
    const wanted = Object.assign({ ...rule }, change(rule));
    const composed = composeText(wanted, { text, file: undefined, reader });
    expect(ruleIn(composed.text)).toEqual(wanted);
    expect(composed.commentsKept).toBe(true);
    const kept = comments.filter((comment) => !lost?.test(comment));
    expect(comments.filter((comment) => composed.text.includes(comment))).toEqual(kept);
  });

  test("nothing else changes", () => {
    expect(composeText(ruleIn(text), { text, file: undefined, reader }).text).toBe(text);
  });
});

test("conditions where there were none go before the actions", () => {
  const text = '(\n    id: "a",\n    name: "A", // mine\n    actions: [Delay(1)],\n)\n';
  const wanted = { ...ruleIn(text), conditions: [{ type: "sun", position: "below_horizon" }] };
  const composed = composeText(wanted, { text, file: undefined, reader });
  expect(composed.text).toBe(
    '(\n    id: "a",\n    name: "A", // mine\n    conditions: [\n        Sun(position: "below_horizon"),\n    ],\n    actions: [Delay(1)],\n)\n',
  );
});

test("a new rule is written as RON, with an id to come", () => {
  const { text, commentsKept } = composeText({ name: "New", actions: [notify] }, { text: "", file: undefined, reader });
  expect(text).toContain('id: ""');
  expect(text).toContain("Notify(");
  expect(commentsKept).toBe(true);
});

test("what has no place in the text is written anew, and says so", () => {
  const text = '(id: "a", name: "A", /* mine */ actions: [Delay(1)])';
  const composed = composeText({ ...ruleIn(text), variables: { a: 1 } }, { text, file: undefined, reader });
  expect(ruleIn(composed.text)).toMatchObject({ variables: { a: 1 } });
  expect(composed.commentsKept).toBe(composed.text.includes("mine"));
});

test("no rule is refused with its problems", () => {
  expect(() => composeText({ name: "A", trigger: { type: "crn" } }, { text: "", file: undefined, reader })).toThrow(
    "did you mean",
  );
});
