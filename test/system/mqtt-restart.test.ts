// What MQTT clients left with the compiled hub is there again after it was killed.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { IConnackPacket, IPublishPacket, Packet } from "mqtt-packet";
import { connectPacket, openRaw } from "../reach/mqtt/raw.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { type HubProcess, MQTT_ACCOUNT } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

/** A client of a kept session that gets what waits for it. */
async function openPanel(hub: HubProcess) {
  const raw = await openRaw(hub.mqttPort);
  const { username, password } = MQTT_ACCOUNT;
  raw.send(connectPacket({ clientId: "panel", clean: false, username, password: Buffer.from(password) }));
  await until("it is let in", () => raw.packets.length > 0);
  const published = () => raw.packets.filter((packet): packet is IPublishPacket => packet.cmd === "publish");
  const received = () => published().map(({ topic, payload }) => `${topic} ${payload}`);
  return Object.assign(raw, { present: (raw.packets[0] as IConnackPacket).sessionPresent, received });
}

const subscription = (topic: string): Packet => ({
  ...{ cmd: "subscribe", messageId: 1 },
  subscriptions: [{ topic, qos: 1 }],
});

function rowsOnDisk(place: HubPlace): number[] {
  using db = new Database(place.at("data/state.redb"), { readonly: true });
  return ["retained", "sessions", "queue"].map(
    (name) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM mqtt_${name}`).get()?.n ?? 0,
  );
}

test("a retained message, a session and its queue survive SIGKILL, soon after they came", async () => {
  await using place = createHubPlace();
  const first = await place.start();
  const panel = await openPanel(first);
  panel.send(subscription("hub/events/+"));
  await until("it has subscribed", () => panel.packets.some(({ cmd }) => cmd === "suback"));
  panel.socket.destroy();
  const sender = await first.mqtt();
  const devices = `["${"x".repeat(3_000_000)}"]`;
  await sender.publishAsync("zigbee2mqtt/bridge/devices", devices, { qos: 1, retain: true });
  await sender.publishAsync("hub/events/rang", '{"n":1}', { qos: 1 });
  const sent = performance.now();
  await until("all is on the disk", () => rowsOnDisk(place).join() === "1,1,1");
  // [storage] flush_secs, and what a slow machine takes.
  expect(performance.now() - sent).toBeLessThan(30_000);
  first.kill("SIGKILL");
  await first.exited;

  const second = await place.start();
  const back = await openPanel(second);
  await until("the queue has come", () => back.received().length === 1);
  expect([back.present, back.received()]).toEqual([true, ['hub/events/rang {"n":1}']]);
  back.send({ cmd: "puback", messageId: back.packets.find(({ cmd }) => cmd === "publish")?.messageId });
  back.send(subscription("zigbee2mqtt/#"));
  await until("the retained message has come", () => back.received().length === 2);
  expect(back.received()[1] === `zigbee2mqtt/bridge/devices ${devices}`).toBe(true);
  await second.end();
  expect(rowsOnDisk(place)).toEqual([1, 1, 0]);
});
