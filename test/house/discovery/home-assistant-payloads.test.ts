// Payloads that are no UTF-8, and further attributes that several entities make of one topic.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

const DEVICE = { ids: "box", name: "Box" };
type Rig = ReturnType<typeof createRig>;

async function announce(rig: Rig, id: string, config: object): Promise<void> {
  const topic = `homeassistant/sensor/box/${id}/config`;
  rig.publish(topic, { unique_id: id, name: id, device: DEVICE, ...config }, { account: "esp", retain: true });
  await rig.clock.advance(100);
}
const attributes = (rig: Rig) => rig.registry.get("box").attributes;

describe("encoding", () => {
  const PRICE = [0x31, 0x39, 0x20, 0xb0, 0x43];

  test.each<[string, number[], string]>([
    ["latin-1", PRICE, "19 °C"],
    ["iso8859_15", [0xa4], "€"],
    ["utf-16-le", [0x41, 0x00, 0xac, 0x20], "A€"],
    ["utf-16", [0xff, 0xfe, 0x41, 0x00], "A"],
    ["cp1251", [0xc4, 0xe0], "Да"],
    ["UTF_8", [0xe2, 0x82, 0xac], "€"],
  ])("%s", async (encoding, bytes, text) => {
    using rig = createRig();
    await announce(rig, "label", { state_topic: "box/label", encoding });
    rig.publish("box/label", new Uint8Array(bytes), { account: "esp" });
    expect(attributes(rig)).toEqual({ label: text });
  });

  test("JSON in another one is read, and picks keep their types", async () => {
    using rig = createRig();
    const config = { state_topic: "box/all", encoding: "latin1", value_template: "{{ value_json.level }}" };
    await announce(rig, "level", { ...config, unit_of_measurement: "°C" });
    rig.publish("box/all", Buffer.from('{"level":21.5,"name":"Küche"}', "latin1"), { account: "esp" });
    expect(attributes(rig)).toMatchObject({ level: 21.5 });
  });

  test("an empty one: templates get the bytes", async () => {
    using rig = createRig();
    const value_template = "{{ value | unpack('>h') / 10 }}";
    await announce(rig, "level", { state_topic: "box/raw", encoding: "", value_template, unit_of_measurement: "W" });
    rig.publish("box/raw", new Uint8Array([0xff, 0x9c]), { account: "esp" });
    expect(attributes(rig)).toEqual({ level: -10 });
  });

  test("an unknown one is named, and the rest of the device lives", async () => {
    using rig = createRig();
    await announce(rig, "good", { state_topic: "box/good" });
    await announce(rig, "bad", { state_topic: "box/bad", encoding: "klingon\u001b" });
    rig.publish("box/good", "1", { account: "esp" });
    expect(attributes(rig)).toEqual({ good: "1" });
    const problems = rig.discovery.list().flatMap(({ problem }) => problem ?? []);
    expect(problems).toEqual([expect.stringContaining('encoding: "klingon')]);
    expect(problems.join()).not.toContain("\u001b");
  });
});

describe("two entities make further attributes of one topic", () => {
  const part = (key: string) => ({
    ...{ state_topic: `box/${key}`, json_attributes_topic: "box/more" },
    json_attributes_template: `{{ value_json.${key} | tojson }}`,
  });
  const MORE = { pump: { hours: 1, fault: false }, valve: { hours: 2, turns: 7 } };
  const said = { hours: 1, fault: false, valve_hours: 2, turns: 7 };

  async function begin(after?: Rig, order = ["pump", "valve"]): Promise<Rig> {
    const rig = createRig(after ? { after } : {});
    for (const key of order) await announce(rig, key, part(key));
    rig.publish("box/more", MORE, { account: "esp" });
    await rig.clock.advance(100);
    rig.publish("box/more", MORE, { account: "esp" });
    return rig;
  }

  test("each has its own", async () => {
    using rig = await begin();
    expect(attributes(rig)).toEqual(said);
  });

  test("whichever is announced first after a restart, and while the other is gone", async () => {
    using rig = await begin();
    await rig.clock.advance(2000);
    using other = await begin(rig, ["valve", "pump"]);
    expect(attributes(other)).toEqual(said);
    await other.clock.advance(2000);
    using alone = await begin(other, ["valve"]);
    expect(attributes(alone)).toMatchObject({ valve_hours: 2, turns: 7 });
    expect(attributes(alone).hours).not.toBe(2);
  });
});
