// A rule that knows which of its triggers fired.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { lint } from "../../../src/rules/read/lint.ts";
import { openRealRig, written } from "../support/real.ts";

const triggers: JsonObject[] = [
  { type: "device_state_changed", device_id: "door", attribute: "open", to: true, id: "opened" },
  { type: "device_state_changed", device_id: "door", attribute: "open", to: false, id: "closed" },
  { type: "device_state_changed", device_id: "bell", attribute: "pressed" },
];

test("has its id in expressions, in the event, in the trace and in the condition `trigger_is`", async () => {
  await using rig = openRealRig();
  rig.begin(
    written("by-condition", {
      triggers,
      conditions: [{ type: "trigger_is", ids: ["opened", "elsewhere"] }],
      actions: [{ type: "log_message", expression: "trigger.id" }],
    }),
    written("by-expression", { triggers, required_expression: "trigger.id == 'closed'" }),
  );

  rig.report("door", { open: true });

  expect(rig.last("by-condition")).toBe('fired: door.open to true (trigger "opened"); the condition passed');
  expect(rig.engine.traces("by-condition")[0]?.actions[0]?.detail).toBe("info: opened");
  expect(rig.last("by-expression")).toStartWith("conditions_failed");
  expect(rig.events.find(({ type }) => type === "rule_fired")).toMatchObject({
    trigger_label: "door.open to true",
    trigger_context: { device_id: "door", id: "opened" },
  });

  rig.report("door", { open: false });
  expect(rig.last("by-condition")).toBe('conditions_failed: the trigger was "closed", must be "opened" or "elsewhere"');
  expect(rig.last("by-expression")).toStartWith("fired");
});

test("is empty for a trigger without one and for a run by hand, so that an expression can always ask", async () => {
  await using rig = openRealRig();
  rig.begin(written("any", { triggers, actions: [{ type: "log_message", expression: "'<' + trigger.id + '>'" }] }));
  rig.report("bell", { pressed: 1 });
  expect(rig.engine.traces("any")[0]?.actions[0]?.detail).toBe("info: <>");
  const byHand = await rig.engine.run("any");
  expect(byHand.actions[0]?.detail).toBe("info: <>");
});

test("a rule without ids has none in its context", async () => {
  await using rig = openRealRig();
  rig.begin(written("plain", { triggers: [triggers[2] ?? {}] }));
  rig.report("bell", { pressed: 1 });
  expect(rig.engine.traces("plain")[0]?.trigger.context).not.toHaveProperty("id");
});

test("an id that no trigger has is a warning, with a suggestion", () => {
  const rule = written("typo", {
    triggers,
    conditions: [{ type: "not", condition: { type: "trigger_is", ids: "openend" } }],
    actions: [{ type: "log_message", message: "x" }],
  });
  expect(lint(rule, {})).toEqual([
    {
      path: "conditions[0].condition.ids",
      message: 'no trigger of this rule has the id "openend" – did you mean "opened"?',
    },
  ]);
});
