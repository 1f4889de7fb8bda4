// The small parts of the external broker by themselves: recognising one's own messages, and when its absence is an alert.
import { expect, test } from "bun:test";
import { messageOf } from "../../../../src/kit/schema/errors.ts";
import type { Connection } from "../../../../src/reach/mqtt/external/connection.ts";
import { Incoming } from "../../../../src/reach/mqtt/external/incoming.ts";
import { Outgoing } from "../../../../src/reach/mqtt/external/outgoing.ts";
import { createOwnMessages } from "../../../../src/reach/mqtt/external/own-messages.ts";
import { isProbe } from "../../../../src/reach/mqtt/external/probe.ts";
import { type BrokerTrouble, brokerWatch } from "../../../../src/server/alerts/watches/broker.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { mqttSection } from "../support.ts";

test("each message that was sent is recognised once, by topic and payload, for half a minute", async () => {
  const clock = createVirtualClock();
  const own = createOwnMessages(clock);
  own.sent("a", "x");
  own.sent("a", "x");
  expect(own.isOwn("b", Buffer.from("x"))).toBe(false);
  expect(own.isOwn("a", Buffer.from("y"))).toBe(false);
  expect([1, 2, 3].map(() => own.isOwn("a", Buffer.from("x")))).toEqual([true, true, false]);
  own.sent("a", "x");
  await clock.advance(31_000);
  expect(own.isOwn("a", Buffer.from("x"))).toBe(false);
});

test("a broker is missed after fifteen seconds; one that refuses the hub is an alert at once", async () => {
  const clock = createVirtualClock();
  let trouble: BrokerTrouble;
  const watch = brokerWatch(() => trouble, clock);
  const found = () => watch.check(() => false).map(({ message, variant }) => `${variant}: ${message}`);
  expect(found()).toEqual([]);
  trouble = { kind: "away", reason: "the broker is gone", since: clock.mono() };
  expect(found()).toEqual([]);
  await clock.advance(15_000);
  expect(found()).toEqual(["away: The broker is gone"]);
  trouble = { kind: "refused", reason: "wrong password", since: clock.mono() };
  expect(found()).toEqual(["refused: Wrong password"]);
});

test("topics of probes are known by their names", () => {
  expect(
    ["hub/_probe/kept", "hub/devices/_probe/cmd", "hub/plugins/_probe/manage/cmd"].every((topic) =>
      isProbe("hub", topic),
    ),
  ).toBe(true);
  expect(
    ["hub/devices/_probe2/cmd", "x/_probe/kept", "hub/devices/_probe/state"].some((topic) => isProbe("hub", topic)),
  ).toBe(false);
});

test("a message waits five seconds of an outage, and again from when the broker hands out what it kept", async () => {
  const clock = createVirtualClock();
  const sent: string[] = [];
  using outgoing = new Outgoing({
    ...{ clock, reason: () => "it is gone", onDenied() {} },
    onSending: ({ topic }) => void sent.push(topic),
  });
  const publish = (topic: string): Promise<string> =>
    outgoing.publish({ topic, payload: "", qos: 1, retain: false }).then(() => "sent", messageOf);
  const early = publish("early");
  await clock.advance(5000);
  const refused = "nothing can be sent over MQTT: it is gone";
  expect([await early, await publish("late")]).toEqual([refused, refused]);
  outgoing.expect();
  const kept = publish("on what was kept");
  await clock.advance(1000);
  outgoing.connected({ open: true, properties: {}, publish: async () => {} } as unknown as Connection);
  expect(await kept).toBe("sent");
  expect(sent).toEqual(["on what was kept"]);
});

test("what NATS sends again under another packet id is no news; of a broker that keeps the ids it is", async () => {
  const clock = createVirtualClock();
  for (const keepsIds of [false, true]) {
    const received: string[] = [];
    const incoming = new Incoming({
      ...{ clock, prefix: "hub", maxBytes: 1000, isOwn: () => false, limits: { reached() {} } },
      keys: mqttSection({}),
      onMessage: ({ payload }) => void received.push(`${payload}`),
    });
    const take = (text: string, messageId: number, dup = false): void =>
      incoming.take({
        topic: "hub/devices/door/state",
        payload: Buffer.from(text),
        qos: 1,
        retain: false,
        dup,
        messageId,
      });
    incoming.begin({ keepsIds });
    take("open", 1);
    take("shut", 2);
    await clock.advance(30_000);
    take("open", 3, true);
    take("open", 4);
    incoming.begin({ keepsIds });
    await clock.advance(30_000);
    take("shut", 5, true);
    await clock.advance(60_000);
    take("shut", 6, true);
    expect(received).toEqual(
      keepsIds ? ["open", "shut", "open", "open", "shut", "shut"] : ["open", "shut", "open", "shut"],
    );
  }
});
