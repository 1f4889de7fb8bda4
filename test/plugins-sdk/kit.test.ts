// Components of the kit without a broker: packets, differences of states, masks, environment, heartbeat and timers.
import { expect, test } from "bun:test";
import { NO_STATE, patchState, replaceState } from "../../plugins/sdk/devices.ts";
import { readEnvironment } from "../../plugins/sdk/environment.ts";
import { startHeartbeat } from "../../plugins/sdk/heartbeat.ts";
import { MASK, maskSecrets, restoreSecrets } from "../../plugins/sdk/mask.ts";
import { createWriter } from "../../plugins/sdk/mqtt/connection.ts";
import { createDecoder, encodeConnect, encodePublish } from "../../plugins/sdk/mqtt/packets.ts";
import { createTimers } from "../../plugins/sdk/timers.ts";
import { until } from "../support/wait.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

test("packets are decoded however the stream is cut", () => {
  const payload = "ä".repeat(150);
  const one = encodePublish({ topic: "a/b", payload, qos: 1, retain: false, packetId: 515 });
  const two = encodePublish({ topic: "c", payload: "", qos: 0, retain: true, packetId: 0 });
  const stream = Buffer.concat([one, two, Buffer.from([0x40, 2, 2, 3]), Buffer.from([0x90, 3, 0, 9, 0x80])]);
  const expected = [
    { type: "publish", topic: "a/b", payload, qos: 1, packetId: 515 },
    { type: "publish", topic: "c", payload: "", qos: 0, packetId: 0 },
    { type: "puback", packetId: 515 },
    { type: "suback", packetId: 9, granted: false },
  ];
  for (const size of [1, 2, 7, stream.length]) {
    const decode = createDecoder();
    const packets = [];
    for (let at = 0; at < stream.length; at += size) packets.push(...decode(stream.subarray(at, at + size)));
    expect(packets).toEqual(expected as typeof packets);
  }
});

test("a malformed or too large packet is an error, and needs no memory", () => {
  expect(() => createDecoder()(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 1]))).toThrow("malformed");
  expect(() => createDecoder()(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toThrow("too large");
});

test("CONNECT has the bytes of the standard", () => {
  const bytes = encodeConnect({
    clientId: "c",
    keepAliveSecs: 30,
    username: "u",
    password: "p",
    will: { topic: "t", payload: "w" },
  });
  expect(Buffer.from(bytes).toString("hex")).toBe("101900044d51545404ee001e000163000174000177000175000170");
});

test("bytes that the socket does not accept wait for its drain, in order", () => {
  const taken: number[] = [];
  let capacity = 2;
  const writer = createWriter();
  writer.attach({
    write(data) {
      const part = [...Buffer.from(data as Uint8Array)].slice(0, capacity);
      taken.push(...part);
      capacity -= part.length;
      return part.length;
    },
  });
  writer.write(Buffer.from([1, 2, 3]));
  writer.write(Buffer.from([4, 5]));
  expect(taken).toEqual([1, 2]);
  capacity = 10;
  writer.flush();
  expect(taken).toEqual([1, 2, 3, 4, 5]);
});

test("an unchanged state is no change, whatever the order of its keys", () => {
  const first = replaceState(NO_STATE, { a: 1, b: [1], c: undefined });
  expect(first).toEqual({ state: { attributes: { a: 1, b: [1] }, whole: true, reported: true }, changed: true });
  expect(replaceState(first.state, { b: [1], a: 1 }).changed).toBe(false);
  expect(patchState(first.state, { a: 1, z: null }).changes).toEqual({});
  expect(patchState(first.state, { a: 1 }, true).changes).toEqual({ a: 1 });
  const removed = patchState(first.state, { a: null, d: 4 });
  expect(removed.changes).toEqual({ a: null, d: 4 });
  expect(removed.state.attributes).toEqual({ b: [1], d: 4 });
});

test("a partial state remembers removed attributes", () => {
  const { state, changes } = patchState(NO_STATE, { gone: null, here: 1 });
  expect(changes).toEqual({ gone: null, here: 1 });
  expect(state).toEqual({ attributes: { gone: null, here: 1 }, whole: false, reported: true });
});

test("secrets are masked at any depth, and restored where the mask comes back", () => {
  const stored = {
    host: "h",
    Password: "p",
    apiKeys: { one: "1", on: true },
    accounts: [
      { name: "a", token: "ta" },
      { name: "b", token: "tb" },
    ],
    empty_secret: "",
  };
  const masked = maskSecrets(stored);
  expect(masked).toEqual({
    host: "h",
    Password: MASK,
    apiKeys: { one: MASK, on: true },
    accounts: [
      { name: "a", token: MASK },
      { name: "b", token: MASK },
    ],
    empty_secret: "",
  });
  expect(restoreSecrets(masked, stored)).toEqual({ config: stored, lost: [] });
  const edited = {
    accounts: [
      { name: "b", token: MASK },
      { name: "new", token: MASK },
    ],
    Password: "other",
  };
  expect(restoreSecrets(edited, stored)).toEqual({
    config: {
      accounts: [
        { name: "b", token: "tb" },
        { name: "new", token: MASK },
      ],
      Password: "other",
    },
    lost: ["accounts[1].token"],
  });
});

test("the environment has defaults, and its error names all problems", () => {
  expect(readEnvironment([], { HUB_PLUGIN_ID: "x", HUB_PLUGIN_CONFIG: "/c" })).toEqual({
    pluginId: "x",
    host: "127.0.0.1",
    port: 1883,
    tls: undefined,
    username: "x",
    password: undefined,
    clientId: "plugin-x",
    prefix: "hub",
    configPath: "/c",
  });
  expect(readEnvironment(["/a"], { HUB_MQTT_USERNAME: "x", HUB_PLUGIN_CONFIG: "/c" }).configPath).toBe("/a");
  expect(() => readEnvironment([], { HUB_MQTT_PORT: "0" })).toThrow(/HUB_PLUGIN_ID.*HUB_MQTT_PORT/);
});

test("heartbeats continue, and several notices share one", async () => {
  const beats: unknown[] = [];
  const status: string[] = [];
  using heartbeat = startHeartbeat({
    version: "1",
    everyMs: 400,
    deviceCount: () => 0,
    send: (body) => beats.push(body),
    onStatus: (now) => status.push(now),
  });
  heartbeat.notice({ level: "error", code: "a", message: "m" });
  heartbeat.notice({ level: "info", code: "b", message: "m" });
  await until("the early beat", () => beats.length === 1);
  heartbeat.clearNotice("a");
  await until("regular beats", () => beats.length >= 4);
  expect(status).toEqual(["degraded", "active"]);
});

test("repeated work never overlaps, continues after an error, and ends", async () => {
  const timers = createTimers(silent);
  let running = 0;
  let most = 0;
  let runs = 0;
  timers.every(2, async () => {
    runs++;
    most = Math.max(most, ++running);
    // Longer than the interval: the next run falls due meanwhile.
    await Bun.sleep(7);
    running--;
    throw new Error("on purpose");
  });
  await until("some runs", () => runs >= 3);
  timers.clear();
  expect(most).toBe(1);
});
