// A broker that goes deaf on the hub's session: the connection stands, what the hub publishes is acknowledged, and nothing comes.
import { expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Aedes } from "aedes";
import { connectAsync } from "mqtt";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { Connection, Outgoing } from "../../../../src/reach/mqtt/external/connection.ts";
import { EchoWatch } from "../../../../src/reach/mqtt/external/echo.ts";
import { PublishError } from "../../../../src/reach/mqtt/external/failure.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

/** What ends its deafness. */
type Cure = "a subscription" | "a clean session" | "nothing";

async function deafBroker() {
  let deafUntil: Cure | undefined;
  const connects: boolean[] = [];
  const broker = await Aedes.createBroker({
    authorizeForward: (client, packet) => (deafUntil !== undefined && client.id === "the-hub" ? null : packet),
  });
  broker.on("client", ({ id, clean }: { id: string; clean?: boolean }) => {
    if (id !== "the-hub") return;
    connects.push(clean === true);
    if (clean && deafUntil === "a clean session") deafUntil = undefined;
  });
  broker.on("subscribe", (_subscriptions, { id }) => {
    if (id === "the-hub" && deafUntil === "a subscription") deafUntil = undefined;
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    broker.handle(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** Of the hub: whether each was with a clean session. */
    connects,
    url: `mqtt://127.0.0.1:${port}`,
    deafen(cure: Cure | undefined) {
      deafUntil = cure;
    },
    async reports(id: string) {
      const device = await connectAsync({ host: "127.0.0.1", port, reconnectPeriod: 0 });
      await device.publishAsync(`hub/devices/${id}/state`, '{"on":true}', { qos: 1 });
      await device.endAsync();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}

/** Waits, while the hub's time passes. */
const inTime = <T>(clock: VirtualClock, name: string, condition: () => T | Promise<T>) =>
  until(name, async () => {
    await clock.advance(1000);
    return condition();
  });

const TOML = 'client_id = "the-hub"\n';

test("a session that the broker has forgotten to deliver to is seen again once the hub has subscribed anew", async () => {
  const clock = createVirtualClock();
  await using broker = await deafBroker();
  await using hub = await startExternalHub(broker.url, { clock, toml: TOML });
  await hub.connected();
  broker.deafen("a subscription");
  await inTime(clock, "it is noticed", () => hub.platform.stdout.text.includes("the hub subscribes anew"));
  await inTime(clock, "it is over", () => hub.platform.stdout.text.includes("passes messages on to the hub again"));
  await broker.reports("lamp");
  await until("the lamp is seen", () => hub.device("lamp"));
  expect(broker.connects).toEqual([false]);
});

test("where that does not help, the hub begins a new session, which the broker keeps again", async () => {
  const clock = createVirtualClock();
  await using broker = await deafBroker();
  await using hub = await startExternalHub(broker.url, { clock, toml: TOML });
  await hub.connected();
  broker.deafen("a clean session");
  await inTime(clock, "a new session", () => broker.connects.length === 3);
  await inTime(
    clock,
    "connected again",
    () => hub.platform.stdout.text.split("connected to the MQTT broker").length > 2,
  );
  expect(broker.connects).toEqual([false, true, false]);
  expect(hub.platform.stdout.text).toContain("passes nothing on to it, so the hub begins a new session there");
  await broker.reports("lamp");
  await until("the lamp is seen", () => hub.device("lamp"));
});

test("a broker that stays deaf is a problem and an alert until it receives", async () => {
  const clock = createVirtualClock();
  await using broker = await deafBroker();
  await using hub = await startExternalHub(broker.url, { clock, toml: TOML });
  await hub.connected();
  broker.deafen("nothing");
  await inTime(clock, "the alert", () => /alerts: .*passes nothing on to it/.test(hub.platform.stdout.text));
  const tries = broker.connects.length;
  await inTime(clock, "two more tries", () => broker.connects.length >= tries + 4);
  await hub.troubled("passes nothing on to it");
  expect(hub.platform.stdout.text.split("subscribes anew")).toHaveLength(2);
  broker.deafen(undefined);
  await inTime(
    clock,
    "connected again",
    () => hub.platform.stdout.text.split("connected to the MQTT broker").length > 2,
  );
  await broker.reports("lamp");
  await until("the lamp is seen", () => hub.device("lamp"));
});

/** A connection whose broker answers at once. */
function fakeConnection(publish: (message: Outgoing) => Promise<void>) {
  const cuts: string[] = [];
  const connection = { open: true, version: 4, publish, cut: (reason: string) => void cuts.push(reason) };
  return { cuts, connection: connection as unknown as Connection };
}

const live = { topic: "hub/devices/a/state", payload: Buffer.from("{}"), retain: false, dup: false, messageId: 1 };

test("an echo every half minute, and none where messages with QoS 1 come anyhow", async () => {
  const clock = createVirtualClock();
  let echoes = 0;
  using watch = new EchoWatch({ prefix: "hub", clock, log: silentLog, subscribe: async () => {} });
  const { connection, cuts } = fakeConnection(async () => {
    echoes++;
    setImmediate(() => watch.received({ ...live, qos: 1 }));
  });
  watch.connected(connection);
  await clock.advance(300_000);
  expect(echoes).toBe(11);
  for (let second = 0; second < 300; second++) {
    watch.received({ ...live, qos: 1 });
    await clock.advance(1000);
  }
  expect(echoes).toBe(11);
  for (let second = 0; second < 60; second++) {
    watch.received({ ...live, qos: 0 });
    watch.received({ ...live, qos: 1, retain: true });
    await clock.advance(1000);
  }
  expect(echoes).toBe(13);
  expect(cuts).toEqual([]);
});

test("an account that may no longer publish there is said once; a broker that acknowledges nothing is not deaf", async () => {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void lines.push(text) };
  const subscribed: string[] = [];
  const subscribe = async (): Promise<void> => void subscribed.push("anew");
  using refused = new EchoWatch({ prefix: "hub", clock, log, subscribe });
  let tries = 0;
  const strict = fakeConnection(() => Promise.reject(new PublishError("refused", `no (${++tries})`)));
  refused.connected(strict.connection);
  await clock.advance(300_000);
  expect([tries, lines.length, strict.cuts]).toEqual([1, 1, []]);
  using mute = new EchoWatch({ prefix: "hub", clock, log, subscribe });
  const frozen = fakeConnection(() => new Promise(() => {}));
  mute.connected(frozen.connection);
  await clock.advance(29_000);
  expect(frozen.cuts).toEqual([]);
  await clock.advance(2000);
  expect(frozen.cuts).toEqual(["the broker no longer answers"]);
  expect(subscribed).toEqual([]);
});
