// However a stream is split into chunks, and however fast its packets are handled, each packet is handled once and in order.
// test/interop/streams.ts does the same with recorded streams.
import { describe, expect, test } from "bun:test";
import { createConnection } from "node:net";
import { generate, type Packet } from "mqtt-packet";
import { connectPacket, openRaw } from "../raw.ts";
import { startTestMqtt, type TestMqtt, until } from "../support.ts";

const users = [{ username: "remote", password: "secret", publish: ["hub/#"], subscribe: ["hub/#"] }];
const login = { username: "remote", password: Buffer.from("secret") };

/** What a plugin sends at its start: subscriptions, then messages of both kinds. */
function plugin(name: string): { packets: Packet[]; topics: string[] } {
  const topics: string[] = [];
  const packets: Packet[] = [];
  for (let n = 1; n <= 6; n++) {
    packets.push({
      cmd: "subscribe",
      messageId: n,
      subscriptions: [{ topic: `hub/devices/${name}_${n}/cmd`, qos: 1 }],
    });
  }
  for (let n = 10; n < 40; n++) {
    const topic = `hub/events/${name}_${n}`;
    topics.push(topic);
    const payload = JSON.stringify({ n, text: "x".repeat((n * 37) % 700) });
    const qos = n % 4 === 0 ? 1 : 0;
    packets.push({ cmd: "publish", topic, payload, qos, retain: n % 8 === 0, dup: false, messageId: n });
  }
  return { packets, topics };
}

const received = (hub: TestMqtt, name: string): string[] =>
  hub.events.flatMap(({ type }) =>
    type.startsWith(`custom_${name}_`) ? [type.replace("custom_", "hub/events/")] : [],
  );

describe("in chunks", () => {
  test.each([4, 5] as const)(
    "version %d: every message of many clients is taken once, in order",
    async (protocolVersion) => {
      await using hub = await startTestMqtt({ config: { users } });
      let seed = 7;
      const random = (below: number) => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      for (let client = 0; client < 40; client++) {
        const name = `c${client}`;
        const { packets, topics } = plugin(name);
        const bytes = Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion })));
        const raw = await openRaw(hub.mqtt.port, protocolVersion);
        raw.socket.setNoDelay(true);
        raw.send(connectPacket({ clientId: name, protocolVersion, ...login }));
        for (let at = 0; at < bytes.length; ) {
          const size = 1 + random(3000);
          raw.socket.write(bytes.subarray(at, at + size));
          at += size;
          // What is written apart in time is read apart.
          if (random(3) > 0) await Bun.sleep(random(3));
        }
        await until(() => raw.closed() || received(hub, name).length === topics.length);
        expect(received(hub, name)).toEqual(topics);
        expect(raw.closed()).toBe(false);
        raw.socket.destroy();
      }
      expect(hub.logged("connection was ended")).toEqual([]);
    },
  );

  test("everything directly after the CONNECT, and then a disconnect: nothing is lost", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    for (const protocolVersion of [4, 5] as const) {
      const name = `v${protocolVersion}`;
      const { packets, topics } = plugin(name);
      const all: Packet[] = [connectPacket({ clientId: name, protocolVersion, ...login }), ...packets];
      for (let n = 0; n < 300; n++) {
        topics.push(`hub/events/${name}_more${n}`);
        all.push({
          cmd: "publish",
          topic: `hub/events/${name}_more${n}`,
          payload: "{}",
          qos: 0,
          retain: false,
          dup: false,
        });
      }
      all.push({ cmd: "disconnect" });
      const socket = createConnection({ port: hub.mqtt.port, host: "127.0.0.1" });
      socket.on("error", () => {});
      socket.end(Buffer.concat(all.map((packet) => generate(packet, { protocolVersion }))));
      await until(() => received(hub, name).length >= topics.length);
      expect(received(hub, name)).toEqual(topics);
    }
    await until(() => hub.mqtt.connections() === 0);
    expect(hub.logged("connection was ended")).toEqual([]);
  });

  test.each(([4, 5] as const).flatMap((version) => ([0, 1, 2] as const).map((qos) => [version, qos] as const)))(
    "version %d: sixty messages of QoS %d behind the CONNECT are all taken, before it is answered",
    async (version, qos) => {
      await using hub = await startTestMqtt({ config: { users } });
      const topics = Array.from({ length: 60 }, (_, n) => `hub/events/sixty_${n}`);
      const packets = topics.map(
        (topic, n): Packet => ({
          cmd: "publish",
          topic,
          payload: "{}",
          qos,
          retain: false,
          dup: false,
          messageId: n + 1,
        }),
      );
      for (const [clientId, clean] of [
        ["fresh", true],
        ["kept", false],
      ] as const) {
        const raw = await openRaw(hub.mqtt.port, version);
        const connect = connectPacket({ clientId, clean, protocolVersion: version, ...login });
        raw.socket.write(
          Buffer.concat([connect, ...packets].map((packet) => generate(packet, { protocolVersion: version }))),
        );
        const answered = () => raw.packets.filter(({ cmd }) => cmd === "puback" || cmd === "pubrec").length;
        await until(() => raw.closed() || (received(hub, "sixty").length === 60 && (qos === 0 || answered() === 60)));
        expect(received(hub, "sixty")).toEqual(topics);
        expect(raw.packets[0]).toMatchObject({ cmd: "connack" });
        hub.events.length = 0;
      }
    },
  );

  test("messages of a client whose login is refused are ignored", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await openRaw(hub.mqtt.port);
    const packets: Packet[] = [connectPacket({ ...login, password: Buffer.from("wrong") }), ...plugin("no").packets];
    raw.socket.write(Buffer.concat(packets.map((packet) => generate(packet))));
    await until(raw.closed);
    expect(raw.packets.map(({ cmd }) => cmd)).toEqual(["connack"]);
    expect(hub.events).toEqual([]);
    expect(hub.logged("login was refused")).toHaveLength(1);
  });
});
