// The ring of events and GET /events with events of nearly a megabyte: limited, and lost events are always reported.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import type { StreamFrame } from "../../support/stream-client.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const COUNT = 60;
let hub: TestHub;
let client: MqttClient;

beforeAll(async () => {
  hub = await startTestHub();
  client = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort });
  for (let count = 0; count < COUNT; count++)
    await client.publishAsync("hub/events/flood", JSON.stringify({ count, text: "x".repeat(900_000) }), { qos: 1 });
  await until("all were seen", async () => (await recent("type=custom_flood&limit=1")).events[0]?.count === COUNT - 1);
});
afterAll(async () => {
  await client.endAsync(true);
  await hub[Symbol.asyncDispose]();
});

async function recent(query: string) {
  const response = await hub.request("GET", `/events?${query}`, { token: hub.adminToken });
  const text = await response.text();
  return {
    events: JSON.parse(text) as StreamFrame[],
    bytes: text.length,
    next: /[?&]before=(\d+)/.exec(response.headers.get("link") ?? "")?.[1],
  };
}

test("GET /events answers in pages of a few megabytes, and the Link headers lead through the whole ring", async () => {
  const counts: unknown[] = [];
  let before = "";
  for (let page = 0; page < 20; page++) {
    const { events, bytes, next } = await recent(`type=custom_flood&limit=1000${before}`);
    expect(bytes).toBeLessThan(4_200_000);
    counts.push(...events.map(({ count }) => count));
    if (next === undefined) break;
    before = `&before=${next}`;
  }
  // 18 of them fit into 16 MiB.
  expect(counts.length).toBeGreaterThan(14);
  expect(counts.length).toBeLessThan(20);
  expect(counts).toEqual(Array.from({ length: counts.length }, (_, index) => COUNT - 1 - index));
});

test("a page that ends at its limit has a link too; the last has none", async () => {
  const first = await recent("limit=2&type=system_started,custom_flood");
  expect(first.events.map(({ count }) => count)).toEqual([COUNT - 1, COUNT - 2]);
  const second = await recent(`limit=2&type=custom_flood&before=${first.next}`);
  expect(second.events.map(({ count }) => count)).toEqual([COUNT - 3, COUNT - 4]);
  expect((await recent("limit=50&type=limit_reached")).next).toBeUndefined();
});

test("a returning reader gets the gap, and then everything in the ring", async () => {
  using stream = await hub.openStream({ since: "1", type: "custom_flood" });
  const gap = await stream.frame("the gap", ({ type }) => type === "stream_gap");
  await stream.frame("the last", ({ count }) => count === COUNT - 1);
  const held = stream.frames.filter(({ type }) => type === "custom_flood");
  expect(held[0]?.seq).toBeGreaterThan(Number(gap.to_seq));
  expect(held.map(({ count }) => count)).toEqual(
    Array.from({ length: held.length }, (_, index) => COUNT - held.length + index),
  );
});

test("the status reports that the ring has fewer events than configured", async () => {
  const status = (await (await hub.request("GET", "/system/status", { token: hub.adminToken })).json()) as {
    problems: { part: string; message: string }[];
  };
  expect(status.problems).toContainEqual({ part: "limits", message: expect.stringContaining("[events] buffer_mb") });
});

test("an event longer than a megabyte reaches readers as a gap with its seq", async () => {
  using stream = await hub.openStream();
  await client.publishAsync("hub/events/huge", JSON.stringify({ text: `${"x".repeat(900_000)}…` }), { qos: 1 });
  await client.publishAsync("hub/events/small", "{}", { qos: 1 });
  const small = await stream.frame("the one behind it", ({ type }) => type === "custom_small");
  const gap = await stream.frame("the gap", ({ type, to_seq }) => type === "stream_gap" && Number(to_seq) < small.seq);
  expect(gap.reason).toContain("custom_huge");
  const { events } = await recent("type=custom_huge&limit=1");
  expect(events[0]).toMatchObject({ type: "stream_gap", from_seq: gap.from_seq, to_seq: gap.to_seq });
});
