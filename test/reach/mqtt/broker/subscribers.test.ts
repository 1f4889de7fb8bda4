// Subscribers get what others publish, in order, whether it came whole or in pieces, and whoever comes late gets what is kept.
import { expect, test } from "bun:test";
import { generate } from "mqtt-packet";
import { connectPacket, openRaw } from "../raw.ts";
import { startTestMqtt, until } from "../support.ts";

test.each([4, 5] as const)(
  "version %d: in order, with every acknowledgement, in chunks of odd sizes",
  async (protocolVersion) => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    const reader = await hub.client({ clientId: "reader" });
    await reader.subscribeAsync("hub/events/#", { qos: 1 });
    const raw = await openRaw(hub.mqtt.port, protocolVersion);
    raw.send(connectPacket({ protocolVersion }));
    await until(() => raw.packets.length === 1);
    const packets = Array.from({ length: 400 }, (_, n) =>
      generate(
        {
          ...{ cmd: "publish", topic: `hub/events/e${n}`, payload: `{"n":${n}}`, qos: 1, messageId: n + 1 },
          ...{ retain: false, dup: false },
        },
        { protocolVersion },
      ),
    );
    const bytes = Buffer.concat(packets);
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = [1, 7, 40, 333][n % 4] ?? 1;
      raw.socket.write(bytes.subarray(at, at + size));
      at += size;
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => reader.messages.length === 400 && raw.packets.length === 401);
    expect(reader.messages.map(({ topic }) => topic)).toEqual(packets.map((_, n) => `hub/events/e${n}`));
    expect(raw.packets.slice(1).map(({ cmd, messageId }) => [cmd, messageId])).toEqual(
      packets.map((_, n) => ["puback", n + 1]),
    );
  },
);

test("a message that nobody gets is retained, and a kept session that is away gets what came meanwhile", async () => {
  await using hub = await startTestMqtt({ config: { anonymous: true } });
  const sender = await hub.client({ clientId: "sender" });
  await sender.publishAsync("a/kept", "1", { qos: 1, retain: true });
  const away = await hub.client({ clientId: "away", clean: false });
  await away.subscribeAsync("a/#", { qos: 1 });
  await until(() => away.messages.length === 1);
  expect(away.messages).toEqual([{ topic: "a/kept", text: "1", qos: 1, retain: true }]);
  await away.endAsync();
  await sender.publishAsync("a/later", "2", { qos: 1 });
  const back = await hub.client({ clientId: "away", clean: false });
  await until(() => back.messages.length === 1);
  expect(back.messages).toEqual([{ topic: "a/later", text: "2", qos: 1, retain: false }]);
});

test.each([
  [4, true],
  [5, true],
  [4, false],
] as const)(
  "version %d, clean session %p: in the order of sending, whatever their QoS, retained or not",
  async (protocolVersion, clean) => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    const reader = await hub.client({ clientId: "reader", clean });
    await reader.subscribeAsync("a/#", { qos: 1 });
    const raw = await openRaw(hub.mqtt.port, protocolVersion);
    const packets = Array.from({ length: 90 }, (_, n) =>
      generate(
        {
          ...{ cmd: "publish", topic: "a/b", payload: `${n}`, qos: n % 3 === 0 ? 1 : 0, messageId: n + 1 },
          ...{ retain: n % 4 === 0, dup: false },
        },
        { protocolVersion },
      ),
    );
    raw.socket.write(Buffer.concat([generate(connectPacket({ protocolVersion }), { protocolVersion }), ...packets]));
    await until(() => reader.messages.length === 90);
    expect(reader.messages.map(({ text }) => Number(text))).toEqual(packets.map((_, n) => n));
  },
);

test.each([4, 5] as const)("version %d: all of each QoS, mixed in one chunk", async (protocolVersion) => {
  await using hub = await startTestMqtt({ config: { anonymous: true } });
  const reader = await hub.client({ clientId: "reader" });
  await reader.subscribeAsync("a/#", { qos: 2 });
  const raw = await openRaw(hub.mqtt.port, protocolVersion);
  const packets = Array.from({ length: 60 }, (_, n) =>
    generate(
      {
        ...{ cmd: "publish", topic: "a/b", payload: `${n}`, qos: (n % 3) as 0 | 1 | 2, messageId: n + 1 },
        ...{ retain: false, dup: false },
      },
      { protocolVersion },
    ),
  );
  raw.socket.write(Buffer.concat([generate(connectPacket({ protocolVersion }), { protocolVersion }), ...packets]));
  await until(() => reader.messages.length === 60);
  const numbers = reader.messages.map(({ text }) => Number(text));
  expect(numbers.toSorted((one, other) => one - other)).toEqual(packets.map((_, n) => n));
});

test("messages directly before a packet that ends the connection are taken", async () => {
  await using hub = await startTestMqtt({ config: { anonymous: true } });
  const reader = await hub.client({ clientId: "reader" });
  await reader.subscribeAsync("a/#");
  const publish = (text: string) =>
    generate({ cmd: "publish", topic: "a/b", payload: text, qos: 0, retain: false, dup: false });
  const raw = await openRaw(hub.mqtt.port);
  raw.send(connectPacket());
  await until(() => raw.packets.length === 1);
  const lengthOfFiveBytes = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 1]);
  raw.socket.write(Buffer.concat([publish("1"), publish("2"), lengthOfFiveBytes]));
  await until(raw.closed);
  await until(() => reader.messages.length === 2);
  expect(reader.messages.map(({ text }) => text)).toEqual(["1", "2"]);
});
