// Every rule file of the house loads as it is, and stays as it is.
import { describe, expect, test } from "bun:test";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";
import { FILES, LOADED, openHomeCoreHouse } from "./rig.ts";

const reader = createRuleReader(createRuleExpressions());
const read = (text: string) => reader.read(text, { file: "a.ron", id: "new" });

/** One rule as the serialiser would write it, around a part of it. */
function around(part: { trigger?: string; conditions?: string; actions?: string; top?: string }): string {
  const { trigger = "ManualTrigger", conditions = "", actions = "", top = "" } = part;
  return `Rule(
    id: "0c0e0000-0000-4000-8000-000000000999",
    name: "One",
    enabled: true,
    priority: 10,
    tags: [],
    trigger: ${trigger},
    conditions: [${conditions}],
    actions: [${actions === "" ? "" : `RuleAction(enabled: true, action: ${actions})`}],
    ${top}log_events: false,
    log_triggers: false,
    log_actions: false,
    cancel_on_false: false,
)`;
}
const problemsOf = (text: string) =>
  read(text).problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);

test("there are more than forty, with every word of homeCore's vocabulary", () => {
  expect(Object.keys(FILES).length).toBeGreaterThan(40);
  const all = Object.values(FILES).join("\n");
  const words = [
    ..."Cron CustomEvent DeviceBatteryLow DeviceBatteryRecovered HubVariableChanged ManualTrigger SunEvent".split(" "),
    ..."SystemStarted ButtonEvent CalendarEvent DeviceAvailabilityChanged ModeChanged DeviceStateChanged".split(" "),
    ..."MqttMessage NumericThreshold Periodic TimeOfDay WebhookReceived And Or Xor Not DeviceState".split(" "),
    ..."HubVariable ModeIs TimeElapsed TimeWindow CalendarActive DeviceLastChange PrivateBooleanIs".split(" "),
    ..."ScriptExpression Comment ExitRule FireEvent Notify PublishMqtt PauseRule ResumeRule CancelDelays".split(" "),
    ..."CaptureDeviceState RestoreDeviceState ActivateScenePerMode SetDeviceStatePerMode DelayPerMode".split(" "),
    ..."RunScript PingHost StopRuleChain CancelRuleTimers SetVariable RunRuleActions CallService Conditional".split(
      " ",
    ),
    ..."Parallel Delay FadeDevice LogMessage RepeatCount RepeatWhile RepeatUntil SetDeviceState".split(" "),
    ..."SetHubVariable SetMode SetPrivateBoolean WaitForEvent WaitForExpression Queued".split(" "),
  ];
  expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(all))).toEqual([]);
});

test("all of them load without one change", async () => {
  await using house = await openHomeCoreHouse(LOADED);
  const broken = house.rules
    .list()
    .flatMap(({ file, problems }) => problems.map(({ message }) => `${file}: ${message}`));
  expect(broken).toEqual([]);
  for (const name of LOADED) expect(house.read(name)).toBe(FILES[name] ?? "");
  expect(house.rules.list()).toHaveLength(LOADED.length);
});

describe("what does not fit is refused at its place, in the words of the file", () => {
  test.each<[string, string]>([
    [
      around({ actions: `Delay(duration_secs: "long", cancelable: false)` }),
      "9 actions[0].duration_secs: must be a number",
    ],
    [
      around({ actions: `CallService(url: "http://a/", method: "GET", timeout_ms: Some(1))` }),
      "9 actions[0].timeout_ms: must be",
    ],
    [around({ trigger: `Periodic(every_n: 5, unit: Fortnights)` }), "7 trigger.unit: must be one of Minutes"],
    [around({ trigger: `Cron(expression: "0 0 8 * * 0")` }), '7 trigger.expression: "0" is no day of the week'],
    [
      around({ trigger: `NumericThreshold(device_id: "a", attribute: "b", op: Above)` }),
      "7 trigger: `value` is missing",
    ],
    [
      around({ conditions: `ScriptExpression(script: "for x in 1..3 { x }")` }),
      "8 conditions[0].script: this Rhai has no counterpart here: a loop (`for`)",
    ],
    [around({ actions: `RunScript(script: "print(1)")` }), "9 actions[0].script: a Rhai script cannot run here"],
    [around({ actions: `Teleport(to: "Mars")` }), '9 actions[0].type: must be one of "notify"'],
    [
      around({ actions: `SetMode(mode_id: "a", command: Sometimes)` }),
      "9 actions[0].command: must be On, Off or Toggle",
    ],
    [
      around({ top: `required_expression: Some("let x = 1; x = 2; true"),\n    ` }),
      "10 required_expression: this Rhai has no counterpart here",
    ],
  ])("%#", (text, problem) => {
    expect(problemsOf(text).join("\n")).toContain(problem);
  });
});

test("a file is homeCore's by its structs or its keys, and ours otherwise", () => {
  const cron = `trigger: Cron(expression: "0 0 8 * * 1")`;
  const expressionOf = (text: string) => read(text).good?.rule.triggers[0]?.expression;
  expect(expressionOf(`Rule(id: "a", name: "a", ${cron}, actions: [RuleAction(action: Comment(text: "x"))])`)).toBe(
    "0 0 8 * * sun",
  );
  expect(expressionOf(`(id: "a", name: "a", ${cron}, actions: [], log_events: false)`)).toBe("0 0 8 * * sun");
  expect(expressionOf(`(id: "a", name: "a", ${cron}, actions: [])`)).toBe("0 0 8 * * 1");
  expect(expressionOf(`Rule(id: "a", name: "a", ${cron}, actions: [Comment(text: "x")])`)).toBe("0 0 8 * * 1");
});

describe("edits keep the file homeCore's", () => {
  test("enabled, priority and tags are changed in their places", async () => {
    await using house = await openHomeCoreHouse(["deck_any_door.ron"]);
    const [{ id } = { id: "" }] = house.rules.list();
    house.rules.patch(id, { enabled: false, priority: 20, tags: ["deck", "night"] });
    const expected = (FILES["deck_any_door.ron"] ?? "")
      .replace("enabled: true,\n    priority: 10", "enabled: false,\n    priority: 20")
      .replace('"deck",\n', '"deck",\n        "night",\n');
    expect(house.read("deck_any_door.ron")).toBe(expected);
    expect(house.states()).toEqual(["Deck – any door opened: disabled"]);
  });

  test("another text is saved as it is", async () => {
    await using house = await openHomeCoreHouse(["cron_sunday.ron"]);
    const [{ id } = { id: "" }] = house.rules.list();
    const text = (FILES["cron_sunday.ron"] ?? "").replace("* * 1", "* * 7");
    house.rules.putText(id, text);
    expect(house.read("cron_sunday.ron")).toBe(text);
    expect(house.rules.get(id).rule?.triggers[0]?.expression).toBe("0 0 8 * * sat");
  });

  test("a new action over the API stands in the file, and the rule does what was asked for", async () => {
    await using house = await openHomeCoreHouse(["every_quarter_hour.ron"]);
    const [info] = house.rules.list();
    if (!info?.rule) throw new Error("the rule is not there");
    const { id, ...rule } = info.rule;
    const wanted = { ...rule, actions: [{ type: "comment", text: "changed" }] };
    house.rules.replace(id, wanted as never);
    expect(house.rules.get(id)).toMatchObject({ state: "enabled", rule: { id, actions: wanted.actions } });
  });
});
