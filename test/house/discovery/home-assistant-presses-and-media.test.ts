// What events say beside their type, and components that play, send and receive.
import { expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;
const say = (rig: Rig, topic: string, payload: unknown) => rig.publish(topic, payload, { account: "esp" });

async function announce(rig: Rig, component: string, config: object): Promise<void> {
  const device = { identifiers: ["abc"], name: "Thing" };
  say(rig, `homeassistant/${component}/x/config`, { unique_id: `${component}_x`, device, ...config });
  await rig.clock.advance(200);
}

async function sent(rig: Rig, wanted: object) {
  await rig.discovery.command("abc", wanted as never);
  return rig.sent();
}

test("the other keys of an event come with it, bounded", async () => {
  using rig = createRig();
  await announce(rig, "event", { state_topic: "k/e", event_types: ["seen", "1"] });
  say(rig, "k/e", { event_type: "seen", plate: "B-XY 12", duration: 1.5 });
  say(rig, "k/e", { event_type: "seen" });
  say(rig, "k/e", { event_type: 1 });
  expect(rig.actions.splice(0)).toEqual([
    { device_id: "abc", action: "seen", data: { plate: "B-XY 12", duration: 1.5 } },
    { device_id: "abc", action: "seen" },
    { device_id: "abc", action: "1" },
  ]);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key_${at}`, at]));
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${"}".repeat(20)}`);
  say(rig, "k/e", { event_type: "seen", deep, text: "x".repeat(10_000), plate: "kept", ...many });
  const [{ data = {} } = {}] = rig.actions;
  expect(data.plate).toBe("kept");
  expect(Object.keys(data)).toHaveLength(50);
  expect(JSON.stringify(data)).not.toContain("xxx");
  expect(data).not.toHaveProperty("deep");
});

test("a trigger has what its message says of the press", async () => {
  using rig = createRig();
  const topic = "zigbee2mqtt/knob";
  const trigger = {
    topic,
    value_template: "{{ value_json.action }}",
    type: "rotate",
    subtype: "knob",
    payload: "turned",
  };
  await announce(rig, "device_automation", { automation_type: "trigger", ...trigger });
  say(rig, topic, { action: "turned", action_angle: 90, linkquality: 3, action_rate: null });
  expect(rig.actions).toEqual([{ device_id: "abc", action: "turned", data: { action_angle: 90 } }]);
});

test("an infrared emitter sends timings, and a receiver brings them", async () => {
  using rig = createRig();
  await announce(rig, "infrared", { schema: "emitter", command_topic: "k/set/ir_emitter" });
  expect(await sent(rig, { ir_emitter: { timings: [9000, -4500], modulation: 36_000 } })).toEqual([
    { topic: "k/set/ir_emitter", payload: { timings: [9000, -4500], modulation: 36_000, repeat_count: 0 } },
  ]);
  await expect(sent(rig, { ir_emitter: { timings: [] } })).rejects.toThrow("whole µs");
  await announce(rig, "infrared", {
    ...{ schema: "receiver", unique_id: "r", state_topic: "k/s" },
    value_template: "{{ value_json.learned | tojson }}",
  });
  const learned = { timings: [1, 2] };
  say(rig, "k/s", { learned });
  say(rig, "k/s", { learned: { timings: ["no"] } });
  expect(Object.values(rig.registry.get("abc").attributes)).toContainEqual(learned);
});

test("a remote sends the codes it announces, and no others", async () => {
  using rig = createRig();
  await announce(rig, "remote", { command_topic: "k/set", commands: { mute: { command: "0x12" } } });
  expect(await sent(rig, { command: "mute" })).toEqual([{ topic: "k/set", payload: "0x12" }]);
  await expect(sent(rig, { command: "louder" })).rejects.toThrow("must be one of mute");
});

test.each([
  [
    {
      ...{ state_state_topic: "p/state", state_title_topic: "p/title", state_volume_topic: "p/volume" },
      ...{ command_volume_topic: "p/set_volume", command_play_topic: "p/play", command_play_payload: "PLAY" },
    },
    ["40", "75", "PLAY"],
  ],
  [
    {
      ...{ state_topic: "p/state", media_title_topic: "p/title", volume_level_topic: "p/volume" },
      ...{ volume_set_topic: "p/set_volume", play_topic: "p/play" },
    },
    ["0.4", "0.75", "play"],
  ],
])("a media player in both forms that programs announce %#", async (config, [volume, louder, play]) => {
  using rig = createRig();
  await announce(rig, "media_player", config);
  say(rig, "p/state", "playing");
  say(rig, "p/title", "Song");
  say(rig, "p/volume", volume);
  expect(rig.registry.get("abc")).toMatchObject({
    deviceType: "media_player",
    attributes: { state: "playing", title: "Song", volume_pct: 40 },
  });
  expect(await sent(rig, { volume_pct: 75 })).toEqual([{ topic: "p/set_volume", payload: Number(louder) as never }]);
  expect(await sent(rig, { command: "play" })).toEqual([{ topic: "p/play", payload: play as string }]);
});

test("a media player of which nothing is known is no device", async () => {
  using rig = createRig();
  await announce(rig, "media_player", { name: "x" });
  expect([...rig.registry.list()]).toEqual([]);
  expect(rig.discovery.list()[0]?.problem).toContain("none of its topics is known");
});
