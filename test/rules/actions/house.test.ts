// Actions that act on the house at once.
import { describe, expect, test } from "bun:test";
import { HubError } from "../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createHouse } from "../support/host.ts";
import { problemsIn } from "../support/read.ts";
import { createActor } from "../support/scope.ts";

function houseWith(...devices: string[]) {
  const house = createHouse();
  for (const id of devices) house.put(id, {});
  house.modes.set("night", false).set("away", true);
  house.scenes.add("dim").add("bright 🌞");
  return house;
}

const sent = (house: ReturnType<typeof createHouse>) =>
  house.done.commands.map(({ device, command }) => `${device} ${JSON.stringify(command)}`);

describe("set_device_state", () => {
  test("commands one device, on behalf of the rule", async () => {
    const house = houseWith("lamp");
    const action = { type: "set_device_state", device_id: "lamp", state: { on: true, label: "21 °C 🔥" } };
    expect(await createActor(house).act(action)).toBe('lamp {"on":true,"label":"21 °C 🔥"}');
    expect(house.done.commands).toMatchObject([
      { device: "lamp", command: { on: true, label: "21 °C 🔥" }, actor: "Tür 🚪 21 °C" },
    ]);
  });

  test("a device that refuses does not keep the others from getting the command, and is named", async () => {
    const house = houseWith("a", "b", "c");
    house.refusing.set("a", new HubError("conflict", 'the device "a" is not available'));
    const act = (device_ids: string[]) =>
      createActor(house).act({ type: "set_device_state", device_ids, state: { on: true } });
    await expect(act(["a", "b", "shed", "c"])).rejects.toThrow(
      '2 of 4 devices refused the command: the device "a" is not available; there is no device "shed"',
    );
    expect(sent(house)).toEqual(['b {"on":true}', 'c {"on":true}']);
    await expect(act(["a"])).rejects.toThrow(/^the device "a" is not available$/);
  });

  test("takes the state from an expression", async () => {
    const house = houseWith("lamp");
    const expressions = { state: () => ({ brightness: 40 }), list: () => [1], nothing: () => ({}) };
    const act = (expression: string) =>
      createActor(house, { expressions }).act({ type: "set_device_state", device_id: "lamp", expression });
    expect(await act("state")).toBe('lamp {"brightness":40}');
    await expect(act("list")).rejects.toThrow("expression: must give a map with at least one attribute, and gave [1]");
    await expect(act("nothing")).rejects.toThrow("must give a map");
    await expect(act("unknown")).rejects.toThrow('"unknown" cannot be evaluated');
  });

  test.each<[JsonObject, string]>([
    [{ state: { on: true } }, ": give `device_id` or `device_ids`, or find devices by `area`, `tag` or `device_type`"],
    [{ device_id: "lamp" }, ": give `state` or `expression`"],
    [{ device_id: "lamp", state: {} }, "state: must be a table with at least one attribute, or with a `command`"],
    [{ device_id: "lamp", state: [true] }, "state: must be a table with at least one attribute, or with a `command`"],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "set_device_state", ...fields })).toEqual([problem]);
  });
});

describe("modes, scenes and variables", () => {
  test("set_mode turns on, off, and toggles", async () => {
    const house = houseWith();
    const actor = createActor(house);
    expect(await actor.act({ type: "set_mode", mode_id: "night", on: true })).toBe("mode night on");
    expect(await actor.act({ type: "set_mode", mode_id: "away", toggle: true })).toBe("mode away off");
    expect(await actor.act({ type: "set_mode", mode_id: "night", toggle: true })).toBe("mode night on");
    expect(sent(house)).toEqual(['night {"on":true}', 'away {"on":false}', 'night {"on":true}']);
    await expect(actor.act({ type: "set_mode", mode_id: "party", on: true })).rejects.toThrow(
      'there is no mode "party"; modes are in modes.toml',
    );
    expect(problemsIn("actions", { type: "set_mode", mode_id: "x" })).toEqual([": give `on` or `toggle`"]);
    expect(problemsIn("actions", { type: "set_mode", mode_id: "x", on: true, toggle: true })).toEqual([
      ": give only one of `on` or `toggle`",
    ]);
    expect(problemsIn("actions", { type: "set_mode", mode_id: "x", toggle: false })).toEqual(["toggle: must be true"]);
  });

  test("activate_scene", async () => {
    const house = houseWith();
    const actor = createActor(house);
    expect(await actor.act({ type: "activate_scene", scene_id: "bright 🌞" })).toBe("scene bright 🌞");
    await expect(actor.act({ type: "activate_scene", scene_id: "gone" })).rejects.toThrow('there is no scene "gone"');
    expect(house.done.scenes).toEqual(["bright 🌞"]);
  });

  test("set_hub_variable writes a value, or the result of an expression", async () => {
    const house = houseWith();
    const actor = createActor(house, { expressions: { "1 + 1": () => 2 } });
    expect(await actor.act({ type: "set_hub_variable", name: "a", value: null })).toBe("a = null");
    expect(await actor.act({ type: "set_hub_variable", name: "b", value: { t: "21 °C" } })).toBe('b = {"t":"21 °C"}');
    expect(await actor.act({ type: "set_hub_variable", name: "c", expression: "1 + 1" })).toBe("c = 2");
    expect([...house.variables.values()]).toEqual([null, { t: "21 °C" }, 2]);
    expect(problemsIn("actions", { type: "set_hub_variable", name: "a" })).toEqual([": give `value` or `expression`"]);
  });

  test("by the first mode that is on", async () => {
    const house = houseWith("lamp");
    house.modes.set("party", true);
    const actor = createActor(house);
    const states = { night: { brightness: 5 }, away: { on: false }, party: { brightness: 100 } };
    const lamp = { type: "set_device_state_per_mode", device_id: "lamp", states };
    expect(await actor.act(lamp)).toBe('lamp {"on":false}: mode away is on');
    const scenes = { type: "activate_scene_per_mode", scenes: { night: "dim", gone: "dim" }, default: "bright 🌞" };
    expect(await actor.act(scenes)).toBe("scene bright 🌞: no mode is on");
    house.modes.set("away", false).set("party", false);
    expect(await actor.act({ ...lamp, default: { on: true } })).toBe('lamp {"on":true}: no mode is on');
    expect(await actor.act(lamp)).toBe("nothing: none of its modes is on");
    expect(await actor.act({ type: "activate_scene_per_mode", scenes: { night: "dim" } })).toBe(
      "nothing: none of its modes is on",
    );
    expect(sent(house)).toEqual(['lamp {"on":false}', 'lamp {"on":true}']);
    expect(house.done.scenes).toEqual(["bright 🌞"]);
    expect(problemsIn("actions", { ...lamp, states: { night: 5 } })).toEqual([
      "states.night: must be a table with at least one attribute, or with a `command`",
    ]);
    expect(problemsIn("actions", { ...lamp, states: {} })).toHaveLength(1);
  });
});

describe("timer", () => {
  test("commands the timer", async () => {
    const house = houseWith("kettle");
    const actor = createActor(house);
    const start = { type: "timer", device_id: "kettle", command: "Start", duration_secs: 300 };
    expect(await actor.act(start)).toBe("kettle start 300 s");
    expect(await actor.act({ type: "timer", device_id: "kettle", command: "cancel" })).toBe("kettle cancel");
    expect(sent(house)).toEqual(['kettle {"command":"start","duration_secs":300}', 'kettle {"command":"cancel"}']);
  });

  test("labels a timer, and lets it repeat", async () => {
    const house = houseWith("kettle");
    const start = {
      type: "timer",
      device_id: "kettle",
      command: "start",
      duration_secs: 60,
      label: "Tea",
      repeat: true,
    };
    await createActor(house).act(start);
    expect(sent(house)).toEqual(['kettle {"command":"start","duration_secs":60,"label":"Tea","repeat":true}']);
  });

  test.each<[JsonObject, RegExp]>([
    [{ command: "cancel", label: "Tea" }, /^label: is only for start/],
    [
      { command: "pause", duration_secs: 1 },
      /^duration_secs: is only for start; pause uses the time that the timer has/,
    ],
    [{ command: "start", duration_secs: 0 }, /^duration_secs: must be a number of seconds from 0.001/],
    [{ command: "strat" }, /^command: must be one of "start", "pause".*did you mean "start"/],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "timer", device_id: "kettle", ...fields })[0]).toMatch(problem);
  });
});

describe("messages and events", () => {
  test("notify sends to several channels, with its options, and names those that failed", async () => {
    const house = houseWith();
    const notify = { type: "notify", message: "x", priority: 2, silent: true, tag: "door", image: "device:porch" };
    expect(await createActor(house).act({ ...notify, channels: ["chat", "mail", "chat"] })).toBe("chat, mail: x");
    expect(house.done.notifications).toMatchObject([
      { channel: "chat", priority: 2, silent: true, tag: "door", image: "device:porch" },
      { channel: "mail", priority: 2, silent: true, tag: "door" },
    ]);
    await expect(createActor(house).act({ ...notify, channels: ["broken", "log"] })).rejects.toThrow(
      "the channel does not answer",
    );
    expect(house.done.notifications.at(-1)).toMatchObject({ channel: "log" });
    expect(problemsIn("actions", { ...notify, channel: "a", channels: ["b"] })).toEqual([
      ": give only one of `channel` or `channels`",
    ]);
    expect(problemsIn("actions", { ...notify, channel: "a", priority: 3 })).toHaveLength(1);
    expect(problemsIn("actions", { ...notify, channel: "a", image: "pictures/../config/hub.toml" })).toEqual([
      expect.stringMatching(/^image: must be `device:ID`/),
    ]);
    expect(problemsIn("actions", { ...notify, channel: "a", priority: "urgent" })[0]).toContain(
      'must be "low", "normal"',
    );
  });

  test("notify takes priorities by their names, and says that a message waits", async () => {
    const house = houseWith();
    const priorities = ["low", "normal", "high", "emergency", -2];
    for (const priority of priorities)
      await createActor(house).act({ type: "notify", message: "x", channel: "log", priority });
    expect(house.done.notifications.map(({ priority }) => priority)).toEqual([-1, 0, 1, 2, -2]);
    const actor = createActor(house);
    const detail = await actor.act({ type: "notify", message: "x", channel: "slow" });
    expect(actor.controlled).toEqual(["undelivered: slow waits, because there is no network"]);
    expect(detail).toBe("slow: x (queued: slow waits, because there is no network)");
  });

  test("notify passes on what placeholders need, and fails with the channel", async () => {
    const house = houseWith();
    const trigger = { device_id: "door", value: true };
    const actor = createActor(house, { trigger, vars: { who: "Zoë" } });
    const message = "Tür offen 🚪 {{device.temperature}} °C";
    expect(await actor.act({ type: "notify", channel: "all", message, title: "Alarm" })).toBe(`all: ${message}`);
    const context = { deviceId: "door", trigger, vars: { who: "Zoë" }, evaluate: expect.any(Function) };
    expect(house.done.notifications).toEqual([{ channel: "all", message, title: "Alarm", rule: "rule-1", context }]);
    await expect(actor.act({ type: "notify", channel: "broken", message })).rejects.toThrow(
      "the channel does not answer",
    );
    expect(problemsIn("actions", { type: "notify", channel: "all", message: "" })).toEqual([
      "message: must not be empty",
    ]);
    expect(problemsIn("actions", { type: "notify", channel: "all", message: " \u200b\n\u3164" })).toEqual([
      "message: is blank: write what people should read",
    ]);
    const actions = [
      { id: "a", label: "A" },
      { id: "b", label: " \u200b" },
    ];
    expect(problemsIn("actions", { type: "notify", channel: "all", message: "x", actions })).toEqual([
      "actions[1].label: is blank: write what the button says",
    ]);
  });

  test("a long text is shortened in the trace, between characters", async () => {
    const house = houseWith();
    const detail = await createActor(house).act({ type: "notify", channel: "log", message: "🔥".repeat(300) });
    expect(detail).toBe(`log: ${"🔥".repeat(200)}…`);
  });

  test("fire_event emits a custom event", async () => {
    const house = houseWith();
    const actor = createActor(house);
    expect(await actor.act({ type: "fire_event", event_type: "doorbell", fields: { place: "Tür 🚪" } })).toBe(
      'custom_doorbell {"place":"Tür 🚪"}',
    );
    await actor.act({ type: "fire_event", event_type: "quiet" });
    expect(house.done.events).toEqual([
      { type: "custom_doorbell", source: "rule", rule_id: "rule-1", place: "Tür 🚪" },
      { type: "custom_quiet", source: "rule", rule_id: "rule-1" },
    ]);
  });

  test.each<[JsonObject, string]>([
    [{ event_type: "a/b" }, "event_type: must be a word without / + #, such as doorbell"],
    [{ event_type: "a", fields: { seq: 1 } }, "fields.seq: is set by the hub in every event; choose another name"],
    [{ event_type: "a", data: { type: 1 } }, "fields.type: is set by the hub in every event; choose another name"],
    [
      { event_type: "a", data: {}, fields: {} },
      'data: unknown key "data"; there are type, event_type, fields, enabled, comment',
    ],
  ])("fire_event refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "fire_event", ...fields })).toEqual([problem]);
  });

  test.each<[JsonObject, string]>([
    [{ payload: "ON °" }, "ON °"],
    [{ payload: { state: "ON" } }, '{"state":"ON"}'],
    [{ payload: 21.5 }, "21.5"],
    [{ payload: null }, "null"],
    [{}, ""],
    [{ expression: "state" }, '{"on":true}'],
    [{ expression: "text" }, "🔥"],
  ])("publish_mqtt %j", async (fields, payload) => {
    const house = houseWith();
    const actor = createActor(house, { expressions: { state: () => ({ on: true }), text: () => "🔥" } });
    expect(await actor.act({ type: "publish_mqtt", topic: "zigbee/lamp/set", ...fields })).toBe(
      `zigbee/lamp/set ${payload}`,
    );
    expect(house.done.published).toEqual([{ topic: "zigbee/lamp/set", payload, retain: false, qos: 0 }]);
  });

  test.each<[JsonObject, string]>([
    [{ topic: "a/+" }, "topic: must be one topic, without + and #"],
    [{ topic: "a/#" }, "topic: must be one topic, without + and #"],
    [{ topic: "a", qos: 2 }, "qos: must be a whole number from 0 to 1"],
    [{ topic: "a", payload: 1, expression: "1" }, ": give either `payload` or `expression`"],
  ])("publish_mqtt refuses %j", (fields, problem) => {
    expect(problemsIn("actions", { type: "publish_mqtt", ...fields })).toEqual([problem]);
  });

  test("log_message writes at its level", async () => {
    const house = houseWith();
    const actor = createActor(house, { expressions: { n: () => 21 } });
    expect(await actor.act({ type: "log_message", message: "21 °C 🔥" })).toBe("info: 21 °C 🔥");
    expect(await actor.act({ type: "log_message", expression: "n", level: "Warning" })).toBe("warn: 21");
    expect(actor.logged).toEqual(["info 21 °C 🔥", "warn 21"]);
  });

  test("comment and exit_rule", async () => {
    const actor = createActor(houseWith());
    expect(await actor.act({ type: "comment", text: "für später 🕰" })).toBe("für später 🕰");
    await expect(actor.act({ type: "exit_rule", reason: "nobody at home" })).rejects.toThrow("nobody at home");
    await expect(actor.act({ type: "exit_rule" })).rejects.toThrow("exit_rule");
  });
});

describe("rules and captured states", () => {
  test.each<[JsonObject, string, string]>([
    [{ type: "run_rule", rule_id: "r" }, 'run r {"conditions":false,"wait":true}', "rule r"],
    [
      { type: "run_rule", rule_id: "r", conditions: true, wait: false },
      'run r {"conditions":true,"wait":false}',
      "rule r, if its conditions pass",
    ],
    [{ type: "pause_rule", rule_id: "r" }, "pause r none", "rule r until it is resumed"],
    [{ type: "pause_rule", rule_id: "r", duration_secs: 1.5 }, "pause r 1500", "rule r for 1.5 s"],
    [{ type: "resume_rule", rule_id: "r" }, "resume r", "rule r"],
    [{ type: "cancel_delays" }, "cancel rule-1 none", "2 delays"],
    [{ type: "cancel_delays", rule_id: "r", key: "off" }, 'cancel r "off"', "2 delays"],
  ])("%j", async (action, controlled, detail) => {
    const actor = createActor(houseWith());
    expect(await actor.act(action)).toBe(detail);
    expect(actor.controlled).toEqual([controlled]);
  });

  test("a captured state can be restored repeatedly", async () => {
    const house = createHouse();
    house.put("lamp", { attributes: { on: true, colour: "° 🔥" } });
    house.put("fan", { attributes: { speed: 2 } });
    const actor = createActor(house);
    await actor.act({ type: "capture_device_state", device_ids: ["lamp", "fan"], key: "before" });
    house.put("lamp", { attributes: { on: false } });
    for (let time = 0; time < 2; time++) {
      expect(await actor.act({ type: "restore_device_state", key: "before" })).toBe("lamp, fan as before");
    }
    const once = ['lamp {"on":true,"colour":"° 🔥"}', 'fan {"speed":2}'];
    expect(sent(house)).toEqual([...once, ...once]);
    await expect(actor.act({ type: "restore_device_state" })).rejects.toThrow(
      'nothing is captured as "default": put capture_device_state before it',
    );
    await expect(actor.act({ type: "capture_device_state", device_ids: ["shed"] })).rejects.toThrow(
      "there is no device",
    );
  });
});
