// Actions that wait, choose and repeat.
import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { createHouse } from "../support/host.ts";
import { problemsIn } from "../support/read.ts";
import { createActor, Exit } from "../support/scope.ts";

const note = (text: string): JsonObject => ({ type: "comment", text });
const exits = { type: "exit_rule", reason: "enough" };
const fails = { type: "set_mode", mode_id: "nowhere", on: true };

/** How an action ended, if it has. */
function watched(promise: Promise<string | undefined>) {
  const watch: { end?: string } = {};
  promise.then(
    (detail) => {
      watch.end = `ok: ${detail}`;
    },
    (error: Error) => {
      watch.end = `${error instanceof Exit ? "exit" : "failed"}: ${error.message}`;
    },
  );
  return watch;
}

describe("parallel", () => {
  test("runs its actions at the same time", async () => {
    const house = createHouse();
    const actor = createActor(house);
    const actions = [{ type: "delay", duration_secs: 5 }, note("a"), { type: "delay", duration_secs: 2 }];
    const watch = watched(actor.act({ type: "parallel", actions }));
    await house.clock.advance(0);
    expect(actor.inside).toEqual(["comment: a"]);
    await house.clock.advance(2000);
    expect(actor.inside).toEqual(["comment: a", "delay: 2 s"]);
    expect(watch.end).toBeUndefined();
    await house.clock.advance(3000);
    expect(watch.end).toBe("ok: 3 at the same time");
  });

  test("a failure does not stop the others, and an exit ends the run after the others are done", async () => {
    const house = createHouse();
    const actor = createActor(house);
    const watch = watched(actor.act({ type: "parallel", actions: [fails, { type: "delay", duration_secs: 1 }] }));
    await house.clock.advance(1000);
    expect(watch.end).toBe("ok: 2 at the same time");
    const left = watched(actor.act({ type: "parallel", actions: [exits, { type: "delay", duration_secs: 1 }] }));
    await house.clock.advance(1000);
    expect(left.end).toBe("exit: enough");
  });

  test("a hundred inside each other", async () => {
    let action: JsonObject = note("innermost 🪆");
    for (let depth = 0; depth < 100; depth++) action = { type: "parallel", actions: [action] };
    const actor = createActor(createHouse());
    await actor.act(action);
    expect(actor.inside[0]).toBe("comment: innermost 🪆");
    expect(actor.inside).toHaveLength(100);
    const [problem, ...more] = problemsIn("actions", { type: "parallel", actions: [action] });
    expect(problem).toBe(
      `${"actions[0].".repeat(101).slice(0, -1)}: is inside more than 100 others: split it into several rules`,
    );
    expect(more).toEqual([]);
  });

  test("refuses to be empty", () => {
    expect(problemsIn("actions", { type: "parallel", actions: [] })).toEqual(["actions: must have at least 1 entry"]);
  });
});

describe("delay", () => {
  test("waits for the given time", async () => {
    const house = createHouse();
    const watch = watched(createActor(house).act({ type: "delay", duration_secs: 0.5 }));
    await house.clock.advance(499);
    expect(watch.end).toBeUndefined();
    await house.clock.advance(1);
    expect(watch.end).toBe("ok: 0.5 s");
  });

  test("when cancelled, the rest of the run is cancelled too", async () => {
    const house = createHouse();
    const actor = createActor(house);
    const watch = watched(actor.act({ type: "delay", duration_secs: 60, key: "off" }));
    await house.clock.advance(1000);
    actor.cancel();
    await house.clock.advance(0);
    expect(watch.end).toBe("exit: its delay was cancelled");
  });

  test.each<[string, Json, string]>([
    ["a number", 2.5, "ok: 2.5 s"],
    ["a text", "2", 'failed: expression: must give seconds from 0 to 31622400 or a duration, and gave "2"'],
    ["less than nothing", -1, "failed: expression: must give seconds from 0 to 31622400 or a duration, and gave -1"],
  ])("takes its time from an expression: %s", async (_, value, end) => {
    const house = createHouse();
    const actor = createActor(house, { expressions: { secs: () => value } });
    const watch = watched(actor.act({ type: "delay", expression: "secs" }));
    await house.clock.advance(2500);
    expect(watch.end).toBe(end);
  });

  test("refuses invalid values", () => {
    expect(problemsIn("actions", { type: "delay" })).toEqual([": give `duration_secs` or `expression`"]);
    expect(problemsIn("actions", { type: "delay", duration_secs: -1 })).toHaveLength(1);
  });
});

describe("waiting", () => {
  const forEvent = { type: "wait_for_event", event_type: "custom_x", device_id: "door", timeout_secs: 5 };
  const forExpression = { type: "wait_for_expression", expression: "x", timeout_secs: 5 };

  test("continues after the event", async () => {
    const actor = createActor(createHouse(), { event: true, isTrue: true });
    expect(await actor.act(forEvent)).toBe("custom_x came");
    expect(await actor.act(forExpression)).toBe("x is true");
    expect(actor.waits).toMatchObject([{ event: "custom_x", deviceId: "door", timeoutMs: 5000 }]);
  });

  test("only an event with the wanted fields matches", async () => {
    const house = createHouse();
    const actor = createActor(house);
    await actor.act({ ...forEvent, fields: { place: "Tür 🚪" } });
    const matches = (event: object) => actor.waits[0]?.matches?.(house.envelope({ type: "custom_x", ...event }));
    expect([matches({ place: "Tür 🚪", more: 1 }), matches({ place: "back" }), matches({})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([forEvent, forExpression])("continues or ends the run after the timeout: %j", async (action) => {
    const actor = createActor(createHouse());
    expect(await actor.act(action)).toEndWith("did not come within 5 s; continuing");
    await expect(actor.act({ ...action, on_timeout: "Exit" })).rejects.toThrow("did not come within 5 s");
  });

  test.each<[JsonObject, string]>([
    [
      { event_type: "mode_chnged", timeout_secs: 1 },
      'event_type: there is no event type "mode_chnged" – did you mean "mode_changed"?',
    ],
    [
      { event_type: "doorbell", timeout_secs: 1 },
      'event_type: there is no event type "doorbell"; an event of your own is "custom_doorbell"',
    ],
    [
      { event_type: "mode_changed" },
      'timeout_secs: missing: must be a number of seconds from 0 to 31622400, or a duration such as "5m" or "1h30m"',
    ],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "wait_for_event", ...fields })).toEqual([problem]);
  });
});

describe("conditional", () => {
  const action: JsonObject = {
    type: "conditional",
    condition: "first",
    then_actions: [note("then")],
    else_if: [
      { condition: "second", then_actions: [note("second")] },
      { conditions: [{ type: "mode_is", mode_id: "night" }], then_actions: [note("third")] },
    ],
    else_actions: [note("else")],
  };

  test.each<[Record<string, boolean>, boolean, string, string]>([
    [{ first: true, second: true }, true, "then", "then: first passed"],
    [{ first: false, second: true }, true, "second", "else_if[0]: second passed"],
    [{ first: false, second: false }, true, "third", "else_if[1]: mode_is passed"],
    [{ first: false, second: false }, false, "else", "else: first did not pass"],
  ])("%j, night %p: %s", async (holding, night, taken, detail) => {
    const house = createHouse();
    house.modes.set("night", night);
    const expressions = { first: () => holding.first ?? false, second: () => holding.second ?? false };
    const actor = createActor(house, { expressions });
    expect(await actor.act(action)).toBe(detail);
    expect(actor.inside).toEqual([`comment: ${taken}`]);
  });

  test("does nothing if no condition passes and there is no else", async () => {
    const actor = createActor(createHouse(), { expressions: { first: () => false } });
    const { else_if: _, else_actions: __, ...only } = action;
    expect(await actor.act(only)).toBe("nothing: first did not pass");
    expect(actor.inside).toEqual([]);
  });

  test("fails if the condition cannot be evaluated, and runs neither branch", async () => {
    const actor = createActor(createHouse(), { expressions: { first: () => 1 } });
    await expect(actor.act(action)).rejects.toThrow('"first" is not true or false');
    expect(actor.inside).toEqual([]);
  });

  test("an inner action can end the run", async () => {
    const actor = createActor(createHouse(), { expressions: { first: () => true } });
    await expect(actor.act({ ...action, then_actions: [exits] })).rejects.toThrow(Exit);
  });

  test.each<[JsonObject, string]>([
    [{ then_actions: [] }, ": give `condition` or `conditions`"],
    [
      { condition: "x", then_actions: [], else_if: [{ then_actions: [] }] },
      "else_if[0]: give either `condition` or `conditions`",
    ],
    [
      { condition: "x", then_actions: [{ type: "notify", channel: "all", mesage: "x" }] },
      'then_actions[0].mesage: unknown key "mesage" – did you mean "message"?',
    ],
    [
      { condition: "x", then_actions: [], else_if: [{ condition: "y", then_actions: [{ type: "delya" }] }] },
      'else_if[0].then_actions[0].type: there is no action "delya" – did you mean "delay"?',
    ],
    [{ condition: "x", then_actions: [], else_if: [{ condition: "y", actions: [] }] }, "else_if[0].then_actions"],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "conditional", ...fields })[0]).toStartWith(problem);
  });
});

describe("repeating", () => {
  const actions = [note("turn")];

  test("a number of times", async () => {
    const actor = createActor(createHouse());
    expect(await actor.act({ type: "repeat_count", count: 3, actions })).toBe("3 times");
    expect([actor.inside.length, actor.turns]).toEqual([3, 3]);
    expect(await actor.act({ type: "repeat_count", count: 0, actions })).toBe("0 times");
    expect(problemsIn("actions", { type: "repeat_count", count: 10_001, actions })).toHaveLength(1);
    expect(problemsIn("actions", { type: "repeat_count", count: 1.5, actions })).toHaveLength(1);
  });

  /** An expression with these values, one after the other. */
  const giving = (...values: boolean[]) => ({ x: () => values.shift() ?? false });

  test("while an expression is true, perhaps never", async () => {
    const act = async (...values: boolean[]) => {
      const actor = createActor(createHouse(), { expressions: giving(...values) });
      return [await actor.act({ type: "repeat_while", expression: "x", actions }), actor.inside.length];
    };
    expect(await act(false)).toEqual(["0 times, until x was false", 0]);
    expect(await act(true, true, false)).toEqual(["2 times, until x was false", 2]);
  });

  test("until an expression is true, at least once", async () => {
    const act = async (...values: boolean[]) => {
      const actor = createActor(createHouse(), { expressions: giving(...values) });
      return [await actor.act({ type: "repeat_until", expression: "x", actions }), actor.inside.length];
    };
    expect(await act(true)).toEqual(["1 times, until x was true", 1]);
    expect(await act(false, false, true)).toEqual(["3 times, until x was true", 3]);
  });

  test.each([
    ["repeat_while", true, "x is still true"],
    ["repeat_until", false, "x is still false"],
  ])("%s that never ends fails after its turns", async (type, value, why) => {
    const actor = createActor(createHouse(), { expressions: { x: () => value } });
    await expect(actor.act({ type, expression: "x", actions, max_turns: 7 })).rejects.toThrow(
      `stopped after 7 turns, and ${why}: correct the expression, or raise max_turns`,
    );
    expect([actor.inside.length, actor.turns]).toEqual([7, 7]);
  });
});
