// The feed: recent events, filters, resuming without loss, gaps that are reported, readers that cannot keep up.
import { expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import { handshake, openRawSocket } from "../support/raw-socket.ts";
import type { StreamFrame } from "../support/stream-client.ts";
import { soon, until } from "../support/wait.ts";

const report = (client: MqttClient, device: string, n: number, more: object = {}) =>
  client.publishAsync(`hub/devices/${device}/state`, JSON.stringify({ n, ...more }), { qos: 1 });

const numbers = (frames: readonly StreamFrame[]): unknown[] =>
  frames.filter(({ type }) => type === "device_state_changed").map(({ current }) => (current as { n: number }).n);

test("GET /events: newest first, its defaults, limits and filters", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const client = await hub.mqtt();
  for (let n = 1; n <= 60; n++) await report(client, n % 2 ? "odd" : "even", n);
  const events = (query: string) => hub.get<StreamFrame[]>(`/events${query}`);
  const recent = await events("");
  expect(recent).toHaveLength(50);
  expect(numbers(recent)[0]).toBe(60);
  for (const event of recent) expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const seqs = recent.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
  expect(await events("?limit=1")).toHaveLength(1);
  expect(new Set((await events("?device_id=odd&limit=1000")).map(({ device_id }) => device_id))).toEqual(
    new Set(["odd"]),
  );
  expect((await events("?type=system_started")).map(({ type }) => type)).toEqual(["system_started"]);
  expect(await events("?type=system_started,device_state_changed&limit=1000")).toHaveLength(61);
  expect(numbers(await events(`?since=${seqs[2]}`))).toEqual([60, 59]);
  for (const bad of ["limit=0", "limit=x", "since=-1", "lmit=3"])
    expect({ bad, status: (await hub.request("GET", `/events?${bad}`)).status }).toEqual({ bad, status: 400 });
});

test("the stream filters by type, by device, and by both", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const client = await hub.mqtt();
  const all = await hub.openStream();
  const byType = await hub.openStream({ type: "device_availability_changed, device_name_changed" });
  const byDevice = await hub.openStream({ device_id: "b" });
  const both = await hub.openStream({ type: "device_state_changed", device_id: "b" });
  await report(client, "a", 1);
  await report(client, "b", 2);
  await client.publishAsync("hub/devices/a/availability", "offline", { qos: 1 });
  await client.publishAsync("hub/devices/b/availability", "offline", { qos: 1 });
  await client.publishAsync("hub/events/end", "{}", { qos: 1 });
  await all.frame("the last event", ({ type }) => type === "custom_end");
  const reported = (frames: readonly StreamFrame[]) =>
    frames.map(({ type, device_id }) => `${type} ${device_id ?? ""}`);
  await until("the filtered events", () => byType.frames.length + byDevice.frames.length + both.frames.length === 5);
  expect(reported(byType.frames)).toEqual(["device_availability_changed a", "device_availability_changed b"]);
  expect(reported(byDevice.frames)).toEqual(["device_state_changed b", "device_availability_changed b"]);
  expect(reported(both.frames)).toEqual(["device_state_changed b"]);
  expect(reported(all.frames)).not.toContain("mqtt_message ");
});

test("a reader that comes back again and again misses nothing and sees nothing twice", async () => {
  await using place = createHubPlace({ toml: "[events]\nbuffer = 5000" });
  await using hub = await place.start();
  const client = await hub.mqtt();
  const begin = (await hub.get<{ events_seq: number }>("/system/status")).events_seq;
  const total = 3000;
  const load = (async () => {
    for (let n = 1; n <= total; n += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => report(client, "meter", n + index)));
  })();
  const seen: StreamFrame[] = [];
  for (let visit = 0; numbers(seen).at(-1) !== total; visit++) {
    expect(visit).toBeLessThan(200);
    using stream = await hub.openStream({ since: String(seen.at(-1)?.seq ?? begin) });
    const wanted = Math.min(total - numbers(seen).length, 50 + ((visit * 37) % 200));
    await until("more events", () => numbers(stream.frames).length >= wanted, { everyMs: 1 });
    seen.push(...stream.frames);
  }
  await load;
  expect(numbers(seen)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  expect(seen.map(({ type }) => type)).not.toContain("stream_gap");
});

test("what is lost to a restart or a small buffer is reported first, and numbers only grow", async () => {
  await using place = createHubPlace({ toml: "[events]\nbuffer = 20" });
  const first = await place.start();
  const client = await first.mqtt();
  await report(client, "meter", 1);
  const [newest] = await first.get<StreamFrame[]>("/events");
  const seq = newest?.seq ?? 0;
  for (let n = 2; n <= 50; n++) await report(client, "meter", n);
  const overflown = await first.openStream({ since: String(seq) });
  await overflown.frame("the newest event", ({ current }) => (current as { n?: number })?.n === 50);
  expect(overflown.frames[0]).toMatchObject({ type: "stream_gap", from_seq: seq + 1, timestamp: expect.any(String) });
  expect(Number(overflown.frames[0]?.to_seq) + 1).toBe(Number(overflown.frames[1]?.seq));
  const last = overflown.frames.at(-1)?.seq ?? 0;
  await first.end();

  await using second = await place.start();
  const restarted = await second.openStream({ since: String(last) });
  await restarted.frame("system_started", ({ type }) => type === "system_started");
  expect(restarted.frames[0]).toMatchObject({ type: "stream_gap", from_seq: last + 1 });
  expect(Number(restarted.frames[1]?.seq)).toBeGreaterThan(last);
  expect((await second.get<StreamFrame[]>("/events")).every(({ seq }) => seq > last)).toBe(true);
});

test("the upgrade is refused with 401, accepted however it is spelt, and asked for with 426", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const token = await hub.adminToken();
  const path = "/api/v1/events/stream";
  const statusOf = async (head: string): Promise<number> => {
    using socket = await openRawSocket(hub.port);
    socket.write(head);
    return await socket.status();
  };
  expect(await statusOf(handshake(path))).toBe(401);
  expect(await statusOf(handshake(`${path}?token=`))).toBe(401);
  expect(await statusOf(handshake(`${path}?token=wrong`))).toBe(401);
  for (const Upgrade of ["websocket", "WebSocket", "WEBSOCKET"])
    expect({ Upgrade, status: await statusOf(handshake(`${path}?token=${token}`, { Upgrade })) }).toEqual({
      Upgrade,
      status: 101,
    });
  expect(await statusOf(handshake(path, { Authorization: `Bearer ${token}` }))).toBe(101);
  expect(await statusOf(handshake(`${path}?token=${token}&typ=x`))).toBe(400);
  const plain = await hub.request("GET", "/events/stream");
  expect({ status: plain.status, upgrade: plain.headers.get("upgrade") }).toEqual({
    status: 426,
    upgrade: "websocket",
  });
  expect((await hub.request("GET", `/events?token=${token}`, { token: null })).status).toBe(401);
});

test("mqtt_message goes only to an administrator who names it", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const body = { label: "reader", role: "user" };
  const { key } = (await hub.request("POST", "/auth/api-keys", { body })).json<{ key: string }>();
  await expect(hub.openStream({ type: "mqtt_message" }, key)).rejects.toThrow();
  const silent = await hub.openStream();
  const curious = await hub.openStream({ type: "mqtt_message" });
  const client = await hub.mqtt();
  await report(client, "meter", 1);
  await curious.frame("the message", ({ topic }) => topic === "hub/devices/meter/state");
  await client.publishAsync("elsewhere/binary", Buffer.from([0xff, 0xfe]), { qos: 1 });
  const binary = await curious.frame("the other", ({ topic }) => topic === "elsewhere/binary");
  expect(binary).toMatchObject({ payload_bytes: 2, qos: 1, retain: false });
  await silent.frame("the state", ({ type }) => type === "device_state_changed");
  expect(silent.frames.map(({ type }) => type)).not.toContain("mqtt_message");
  expect((await hub.get<StreamFrame[]>("/events")).map(({ type }) => type)).not.toContain("mqtt_message");
});

test("a reader that never reads is closed, and the others get everything", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const client = await hub.mqtt();
  const good = await hub.openStream();
  using slow = await openRawSocket(hub.port);
  slow.write(handshake(`/api/v1/events/stream?token=${await hub.adminToken()}`));
  expect(await slow.status()).toBe(101);
  slow.pause();
  const total = 300;
  for (let n = 1; n <= total; n++) await report(client, "big", n, { text: "x".repeat(50_000) });
  await until("the good reader has all", () => numbers(good.frames).length === total);
  expect(numbers(good.frames)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  const clients = async () => (await hub.get<{ stream_clients: number }>("/system/status")).stream_clients === 1;
  await until("the slow reader is gone", clients);
  await hub.said(/a stream client cannot keep up .*who=admin .*bytes_behind=1\d{6}$/m);
});

test("a frame larger than allowed closes only its sender", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const good = await hub.openStream();
  const rude = await hub.openStream();
  good.send("small talk is ignored");
  rude.send("x".repeat(20_000));
  await soon("the rude client is closed", rude.closed);
  await report(await hub.mqtt(), "meter", 1);
  await good.frame("life goes on", ({ type }) => type === "device_state_changed");
});

test("a stopping hub says so to its readers", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const stream = await hub.openStream();
  hub.kill("SIGTERM");
  expect((await soon("the stream ends", stream.closed)).code).toBe(1001);
  expect(await soon("the hub ends", hub.exited)).toBe(0);
});
