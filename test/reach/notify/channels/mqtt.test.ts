import { describe, expect, test } from "bun:test";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, OwnBroker } from "../../../../src/reach/notify/channel.ts";
import { configOf, createRig, failureOf, messageOf, never, openFrom } from "../rig.ts";

interface Sent {
  topic: string;
  payload: string;
  options: object;
}

/** What the hub's broker was given; `publish` says what it does with it. */
function openWith(
  more: JsonObject,
  publish: OwnBroker["publish"] = async () => {},
): { channel: Channel; sent: Sent[] } {
  const rig = createRig();
  const sent: Sent[] = [];
  const broker: OwnBroker = {
    prefix: "hub",
    publish(topic, payload, options) {
      sent.push({ topic, payload, options });
      return publish(topic, payload, options);
    },
  };
  const entry = { name: "display", type: "mqtt", topic: "house/messages", ...more };
  return { channel: openFrom(entry, { ...rig, deps: { ...rig.deps, broker } }), sent };
}

describe("mqtt", () => {
  test("publishes all of a message as JSON", async () => {
    const { channel, sent } = openWith({});
    const message = messageOf("open\ud800", { priority: 2, tag: "door", repeats: "(2 times since 14:02)" });
    expect(await channel.send(message, never())).toEqual({ answer: "published to house/messages", parts: 1 });
    expect(sent).toMatchObject([{ topic: "house/messages", options: { qos: 1, retain: false } }]);
    expect(JSON.parse(sent[0]?.payload ?? "")).toEqual({
      ...{ id: "0f0e", title: "Hub Alert", message: "open\ufffd (2 times since 14:02)", priority: 2, silent: false },
      ...{ tag: "door", at: "2026-11-21T13:02:00.000Z", late: false },
    });
  });

  test("or its text alone, which is bounded", async () => {
    const { channel, sent } = openWith({ format: "text", qos: 0 });
    await channel.send(messageOf("open", { late: true }), never());
    await channel.send(messageOf("x".repeat(1_000_000)), never());
    expect(sent[0]?.payload).toBe("open\n\n(delivered late; this is from 2026-11-21 14:02)");
    expect(Buffer.byteLength(sent[1]?.payload ?? "")).toBe(64 * 1024);
  });

  test("what the broker keeps can be changed and taken back", async () => {
    const { channel, sent } = openWith({ retain: true, format: "text" });
    const { remote = "" } = await channel.send(messageOf("open"), never());
    await channel.change?.(remote, messageOf("closed"), never());
    await channel.remove?.(remote, never());
    expect(sent.map(({ payload, options }) => [payload, options])).toEqual([
      ["open", { qos: 1, retain: true }],
      ["closed", { qos: 1, retain: true }],
      ["", { qos: 1, retain: true }],
    ]);
    expect(openWith({}).channel.change).toBeUndefined();
  });

  test("the hub's own topics are refused unless the configuration names them", async () => {
    for (const topic of ["hub/devices/lamp/cmd", "hub"]) {
      const { channel, sent } = openWith({ topic });
      const failure = await failureOf(channel.send(messageOf("x"), never()));
      expect(failure.fault).toMatchObject({ transient: false, hint: expect.stringContaining("hub_topics") });
      expect(sent).toEqual([]);
    }
    const { channel, sent } = openWith({ topic: "hub/devices/lamp/cmd", hub_topics: true });
    await channel.send(messageOf("x"), never());
    await openWith({ topic: "hubs/x" }).channel.send(messageOf("x"), never());
    expect(sent).toHaveLength(1);
  });

  test("a broker that is not up yet, or hangs, is asked again", async () => {
    const off = openWith({}, async () => {
      throw new HubError("unavailable", "the hub is starting: MQTT is not up yet");
    });
    const failure = await failureOf(off.channel.send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: true, hint: expect.stringContaining("[mqtt]") });
    expect(failure.message).toContain("not up yet");
    const hanging = openWith({}, () => new Promise(() => {}));
    const stop = new AbortController();
    const sending = failureOf(hanging.channel.send(messageOf("x"), stop.signal));
    stop.abort();
    expect((await sending).fault.transient).toBe(true);
  });

  test.each(["a/+/b", "a/#", "$SYS/x", ""])("the topic %p is a problem", (topic) => {
    expect(() => configOf({ name: "display", type: "mqtt", topic })).toThrow("must be one topic");
  });
});
