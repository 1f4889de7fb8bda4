// Every component of Home Assistant's MQTT integration: each is taken as something, or says what it lacks; none makes a device that is
// there and has nothing.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

interface Row {
  /** Beside its id and device. */
  config: object;
  /** Some of what it must have. */
  has?: string[];
  /** A message on topic `s`, and the press that it is. */
  press?: [unknown, string];
}

const both = { state_topic: "s", command_topic: "c" };

const COMPONENTS: Record<string, Row> = {
  alarm_control_panel: { config: both, has: ["alarm", "command"] },
  binary_sensor: { config: { state_topic: "s", device_class: "door" }, has: ["door", "open"] },
  button: { config: { command_topic: "c" }, has: ["it"] },
  camera: { config: { topic: "s" }, has: ["picture_at"] },
  climate: { config: { mode_command_topic: "c", mode_state_topic: "s" }, has: ["mode"] },
  cover: { config: both, has: ["position", "moving"] },
  date: { config: both, has: ["it"] },
  datetime: { config: both, has: ["it"] },
  device_automation: {
    config: { automation_type: "trigger", topic: "s", type: "button_short_press", subtype: "button_1" },
    press: ["x", "button_1_button_short_press"],
  },
  device_tracker: { config: { state_topic: "s" }, has: ["location"] },
  event: { config: { state_topic: "s", event_types: ["ring"] }, press: [{ event_type: "ring" }, "ring"] },
  fan: { config: both, has: ["on"] },
  humidifier: { config: { command_topic: "c", target_humidity_command_topic: "h" }, has: ["on"] },
  image: { config: { image_topic: "s" }, has: ["picture_at"] },
  infrared: { config: { command_topic: "c" }, has: ["it"] },
  lawn_mower: { config: { activity_state_topic: "s", dock_command_topic: "c" }, has: ["command"] },
  light: { config: both, has: ["on"] },
  lock: { config: both, has: ["locked"] },
  media_player: { config: { state_topic: "s", play_topic: "c" }, has: ["state", "command"] },
  notify: { config: { command_topic: "c" }, has: ["it"] },
  number: { config: both, has: ["it"] },
  remote: { config: { command_topic: "c" }, has: ["command"] },
  scene: { config: { command_topic: "c" }, has: ["it"] },
  select: { config: { ...both, options: ["a", "b"] }, has: ["it"] },
  sensor: { config: { state_topic: "s", device_class: "temperature" }, has: ["temperature"] },
  siren: { config: both, has: ["on"] },
  switch: { config: both, has: ["on"] },
  tag: { config: { topic: "s" }, press: ["42", "tag_42"] },
  text: { config: both, has: ["it"] },
  time: { config: both, has: ["it"] },
  update: { config: { state_topic: "s" }, has: ["installed_version"] },
  vacuum: { config: { state_topic: "s", command_topic: "c" }, has: ["state", "command"] },
  valve: { config: both, has: ["position"] },
  water_heater: { config: { mode_command_topic: "c", mode_state_topic: "s" }, has: ["mode"] },
};

const DEVICE = { identifiers: "box" };

async function announce(rig: Rig, component: string, config: object): Promise<void> {
  const payload = { unique_id: "it", device: DEVICE, ...config };
  rig.publish(`homeassistant/${component}/it/config`, payload, { account: "esp" });
  await rig.clock.advance(200);
}

describe.each(Object.entries(COMPONENTS))("%s", (component, { config, has = [], press }) => {
  test("is taken", async () => {
    using rig = createRig();
    await announce(rig, component, config);
    expect(rig.discovery.list().map(({ state, problem }) => [state, problem])).toEqual([["accepted", null]]);
    const { properties = {} } = rig.registry.get("box").details.schema as { properties?: object };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(has));
    if (!press) return;
    rig.publish("s", press[0], { account: "esp" });
    expect(rig.actions.map(({ action }) => action)).toEqual([press[1]]);
  });

  test("without a topic it is named, and no device", async () => {
    using rig = createRig();
    const { event_types, options, automation_type, type, subtype } = config as Record<string, unknown>;
    await announce(rig, component, { event_types, options, automation_type, type, subtype });
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([
      expect.stringMatching(new RegExp(`^${component}: .*topic`)),
    ]);
  });
});

test.each(["assist_satellite", "calendar", "todo", "weather", "air_quality", "stt", "wake_word", "ai_task"])(
  "%s, which that integration does not have, is seen and not understood",
  async (component) => {
    using rig = createRig();
    await announce(rig, component, both);
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([`${component}: seen, not understood`]);
  },
);
