// What is said of an outage: that it began and that it is over, however many messages wait, and what became of them in a few words.
import { expect, test } from "bun:test";
import { bot, openOutboxRig, push } from "./rig.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("2,000 messages in an outage: one event and one warning at its begin, one line at its end, and few about the late", async () => {
  await using rig = await openOutboxRig([bot("chat")]);
  rig.react("chat", "down");
  rig.db.durable.run("PRAGMA synchronous = OFF");
  for (let index = 0; index < 2000; index++) void rig.say("chat", `${index}`);
  await rig.clock.advance(6 * HOUR);
  expect(rig.events).toMatchObject([
    { type: "notification_queued", channel: "chat", title: "Hub Alert", error: expect.stringContaining("Refused") },
  ]);
  expect(rig.logged).toHaveLength(1);
  rig.react("chat", "ok");
  await rig.clock.advance(HOUR);
  expect(rig.arrived).toHaveLength(2000);
  await rig.clock.advance(HOUR);
  expect(rig.logged.filter((line) => line.startsWith("a channel takes notifications again"))).toHaveLength(1);
  const late = rig.ends().map((event) => (event.type === "notification_delivered_late" ? event.more + 1 : 0));
  expect(late.length).toBeLessThan(25);
  expect(late.reduce((sum, each) => sum + each)).toBe(2000);
  expect(rig.logged.length).toBeLessThan(30);
});

test("an outage goes on over a restart, and the next one is notified again", async () => {
  await using rig = await openOutboxRig();
  const queued = () => rig.events.filter(({ type }) => type === "notification_queued").length;
  rig.react("phone", "down");
  await rig.say("phone", "1");
  await rig.restart();
  await rig.clock.advance(MINUTE);
  await rig.say("phone", "2");
  expect(queued()).toBe(1);
  rig.react("phone", "ok");
  await rig.clock.advance(HOUR);
  rig.react("phone", "down");
  await rig.say("phone", "3");
  expect(queued()).toBe(2);
});

test("messages that are refused for good, or expire, are counted in a few events", async () => {
  await using rig = await openOutboxRig([push("phone")], 1);
  rig.react("phone", { status: 400 });
  for (let index = 0; index < 500; index++) await rig.say("phone", `${index}`);
  await rig.clock.advance(HOUR);
  const counts = rig.ends().map((event) => (event.type === "notification_given_up" ? event.more + 1 : 0));
  expect(counts.length).toBeLessThan(15);
  expect(counts.reduce((sum, each) => sum + each)).toBe(500);
});

test("what was not reported yet is reported when the hub stops", async () => {
  await using rig = await openOutboxRig();
  rig.react("phone", { status: 400 });
  for (let index = 0; index < 30; index++) await rig.say("phone", `${index}`);
  await rig.restart();
  expect(rig.ends().at(-1)).toMatchObject({ type: "notification_given_up", more: 19 });
});

for (const crash of [false, true]) {
  test(`what a channel said last is known after ${crash ? "a crash" : "a restart"}`, async () => {
    await using rig = await openOutboxRig();
    const phone = () => rig.notifier.list().find(({ name }) => name === "phone");
    await rig.say("phone", "1");
    const lastSuccess = rig.clock.now();
    await rig.clock.advance(MINUTE);
    rig.react("phone", "down");
    await rig.say("phone", "2");
    const at = rig.clock.now();
    await rig.restart({ crash });
    const message = "no answer from the Pushover server at phone.test: ConnectionRefused";
    expect(phone()).toMatchObject({ lastSuccess, lastError: { at, message } });
    rig.react("phone", "ok");
    await rig.clock.advance(MINUTE);
    const again = phone()?.lastSuccess ?? 0;
    expect(again).toBeGreaterThan(at);
    await rig.restart({ crash });
    expect(phone()).toMatchObject({ lastSuccess: again, lastError: { at, message } });
  });
}
