// A client that is silent for one and a half times as long as it promised is disconnected, whatever it sent before.
import { expect, test } from "bun:test";
import { createKeepAlive } from "../../../../../src/reach/mqtt/broker/connection/keep-alive.ts";
import { createVirtualClock } from "../../../../support/virtual-clock.ts";
import { connectPacket, openRaw } from "../../raw.ts";
import { startTestMqtt, until } from "../../support.ts";

function rig(isHeldUp = () => false) {
  const clock = createVirtualClock();
  let ends = 0;
  const keepAlive = createKeepAlive(clock, { isHeldUp, onSilent: () => void ends++ });
  return { clock, keepAlive, ends: () => ends };
}

test("each sign of life starts the time anew", async () => {
  const { clock, keepAlive, ends } = rig();
  keepAlive.watch(10);
  for (let n = 0; n < 5; n++) {
    await clock.advance(14_000);
    keepAlive.markSeen();
  }
  expect(ends()).toBe(0);
  await clock.advance(14_000);
  expect(ends()).toBe(0);
  await clock.advance(2000);
  expect(ends()).toBe(1);
});

test("a client that is slowed down is not silent", async () => {
  let heldUp = true;
  const { clock, keepAlive, ends } = rig(() => heldUp);
  keepAlive.watch(10);
  await clock.advance(100_000);
  expect(ends()).toBe(0);
  heldUp = false;
  await clock.advance(30_000);
  expect(ends()).toBe(1);
});

test("without a promise, and after the end, nothing is watched", async () => {
  const { clock, keepAlive } = rig();
  keepAlive.watch(0);
  expect(clock.pending()).toEqual([]);
  keepAlive.watch(10);
  keepAlive[Symbol.dispose]();
  expect(clock.pending()).toEqual([]);
});

test("a silent client is disconnected, and its will is published", async () => {
  await using hub = await startTestMqtt();
  const raw = await openRaw(hub.mqtt.port);
  const will = { topic: "hub/events/gone", payload: Buffer.from("{}"), qos: 0, retain: false } as const;
  const password = Buffer.from(hub.mqtt.accounts.issue("zig"));
  raw.send(connectPacket({ clientId: "sleepy", username: "zig", password, keepalive: 1, will }));
  await until(raw.closed);
  expect(hub.events.map(({ type }) => type)).toContain("custom_gone");
});
