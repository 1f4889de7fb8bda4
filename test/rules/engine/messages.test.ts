// Texts with placeholders and expressions, in all actions that send texts.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { lint } from "../../../src/rules/read/lint.ts";
import { createHouse } from "../support/host.ts";
import { openRealRig, written } from "../support/real.ts";
import { createActor } from "../support/scope.ts";

describe("a text", () => {
  test("is filled in when it is logged, and what fails is reported in the trace", async () => {
    await using rig = openRealRig();
    rig.report("sensor", { t: 21.449 });
    rig.begin(
      written("logs", {
        variables: { limit: 20 },
        actions: [
          {
            type: "log_message",
            message:
              "{{devices.sensor.t | number:1}} °C is {{= device_state('sensor').t - vars.limit | number:2}} above, at {{now}}",
          },
          { type: "log_message", message: "a {{= device_state('moon').t }} b {{ value_json.x }} {{vars.gone}}" },
        ],
      }),
    );
    const { actions } = await rig.engine.run("logs");
    expect(actions[0]?.detail).toMatch(/^info: 21\.4 °C is 1\.45 above, at \d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(actions[1]?.result).toBe("ok");
    expect(actions[1]?.detail).toStartWith("info: a unknown b {{ value_json.x }} unknown (without a value: ");
    expect(actions[1]?.detail).toContain("{{= device_state('moon').t}}: there is no device \"moon\"");
  });

  test("is filled in within payloads and bodies; other templates stay as they are", async () => {
    const house = createHouse();
    const expressions = { "1 + 1": () => 2 };
    const actor = createActor(house, { expressions, vars: { room: "hall" } });
    const payload = { name: "{{vars.room}} {{= 1 + 1 }}", list: ["{{ value_json.t }}", 5, null] };
    await actor.act({ type: "publish_mqtt", topic: "t", payload });
    expect(JSON.parse(house.done.published[0]?.payload ?? "")).toEqual({
      name: "hall 2",
      list: ["{{ value_json.t }}", 5, null],
    });
    const url = "http://192.168.1.20/api";
    expect(await actor.act({ type: "call_service", url, body: { text: "{{= wrong }} {{= 1 + 1 }}" } })).toBe(
      "POST 192.168.1.20 answered 200; 1 placeholders in its body have no value",
    );
    expect(house.done.requests[0]?.body).toBe('{"text":"unknown 2"}');
  });
});

describe("an expression in a text is checked when the rule is saved", () => {
  test.each<[JsonObject, string]>([
    [
      { type: "notify", channel: "log", message: "{{= devce('x') }}" },
      "actions[0].message: {{= devce('x')}}: there is no function devce()",
    ],
    [{ type: "notify", channel: "log", title: "{{= 1 + }}", message: "x" }, "actions[0].title: {{= 1 +}}: "],
    [{ type: "log_message", message: "{{= 1 | upper }}" }, 'there is no format "upper"; there are number, time'],
    [{ type: "log_message", message: "{{= 1" }, "is not closed: write }} behind it"],
    [{ type: "log_message", message: "{{= }}" }, "the expression is empty"],
    [
      { type: "publish_mqtt", topic: "t", payload: { a: ["{{= tru }}"] } },
      "actions[0].payload.a[0]: {{= tru}}: there is no",
    ],
    [
      { type: "log_message", message: "{{= 1 }}".repeat(21) },
      "a text has at most 20 expressions: compute them before, with set_variable",
    ],
  ])("%j", (action, problem) => {
    expect(() => written("x", { actions: [action] })).toThrow(problem);
  });

  test("and costs as much as any expression at most", async () => {
    await using rig = openRealRig();
    const bomb =
      "[1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(b, [1,2,3,4,5,6,7,8,9].map(c, [1,2,3,4,5,6,7,8,9].map(d, [1,2,3,4,5,6,7,8,9].map(e, [1,2,3,4,5,6,7,8,9].map(f, 1))))))";
    rig.begin(written("bomb", { actions: [{ type: "log_message", message: `{{= ${bomb} }}`.repeat(20) }] }));
    const begun = performance.now();
    const [action] = (await rig.engine.run("bomb")).actions;
    expect(action?.detail).toStartWith(`info: ${"unknown".repeat(20)}`);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

test("a variable that the rule itself sets, and the end of a wait, are known to the linter", () => {
  const rule = written("x", {
    actions: [
      { type: "parallel", actions: [{ type: "set_variable", name: "warm", value: 1 }] },
      { type: "log_message", message: "{{vars.warm}} {{vars.wait.completed}} {{vars.cold}} {{ other.x }}" },
    ],
  });
  expect(lint(rule, { variable: () => false }).map(({ message }) => message)).toEqual([
    '{{vars.cold}}: neither the rule nor the hub has a variable "cold" at present',
  ]);
});
