// The kit's MQTT session against a scripted broker: streams cut anywhere, malformed packets, lost connections, redelivery.
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { generate, type Packet, parser } from "mqtt-packet";
import { type Session, startSession } from "../../plugins/sdk/mqtt/session.ts";
import { until } from "../support/wait.ts";

interface Link {
  /** 1 for the first connection, 2 for the next one, … */
  readonly number: number;
  readonly socket: Socket;
  send(packet: Packet): void;
}

interface ScriptedBroker extends AsyncDisposable {
  readonly port: number;
  connections(): number;
}

/** Accepts every CONNECT and SUBSCRIBE; everything else is up to `onPacket`. */
async function openScriptedBroker(onPacket: (link: Link, packet: Packet) => unknown): Promise<ScriptedBroker> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const link = {
      number: sockets.push(socket),
      socket,
      send: (packet: Packet) => void socket.write(generate(packet)),
    };
    const incoming = parser({ protocolVersion: 4 });
    incoming.on("packet", (packet) => {
      if (packet.cmd === "connect") link.send({ cmd: "connack", returnCode: 0, sessionPresent: false });
      if (packet.cmd === "subscribe") link.send({ cmd: "suback", messageId: packet.messageId ?? 0, granted: [1] });
      onPacket(link, packet);
    });
    socket.on("data", (data: Buffer) => void incoming.parse(data));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    connections: () => sockets.length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function open(port: number) {
  const reasons: string[] = [];
  const session = startSession(
    { host: "127.0.0.1", port, clientId: "c", keepAliveSecs: 60, firstPauseMs: 10 },
    {
      onConnected() {},
      onDisconnected: (reason) => reasons.push(reason),
      onRefused: (reason) => reasons.push(reason),
      onProblem: (message) => reasons.push(message),
    },
  );
  return { session, reasons, [Symbol.asyncDispose]: () => session.close(50) };
}

function publish(payload: string, qos: 0 | 1 = 0, messageId = 1): Packet {
  return { cmd: "publish", topic: "t", payload, qos, messageId, retain: false, dup: false };
}

function collect(session: Session): string[] {
  const received: string[] = [];
  session.subscribe("t", (payload) => void received.push(payload));
  return received;
}

test.each([1, 2, 7, 1000, 1_000_000])("messages survive a stream in pieces of %d bytes", async (size) => {
  const payloads = Array.from({ length: 60 }, (_, at) => `${at} ${"ä€😀".repeat((at * 37) % 200)}`);
  const stream = Buffer.concat(payloads.map((payload, at) => generate(publish(payload, at % 2 === 0 ? 0 : 1, at + 1))));
  let acknowledged = 0;
  await using broker = await openScriptedBroker(async ({ socket }, { cmd }) => {
    if (cmd === "puback") acknowledged++;
    if (cmd !== "subscribe") return;
    socket.setNoDelay(true);
    for (let at = 0; at < stream.length; at += size) {
      socket.write(stream.subarray(at, at + size));
      if ((at / size) % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await using client = open(broker.port);
  const received = collect(client.session);
  await until("all messages and acknowledgements", () => received.length >= 60 && acknowledged >= 30);
  expect(received).toEqual(payloads);
  expect({ acknowledged, connections: broker.connections() }).toEqual({ acknowledged: 30, connections: 1 });
});

test.each<[string, number[]]>([
  ["a length of five bytes", [0x30, 0xff, 0xff, 0xff, 0xff, 1]],
  ["the announcement of 200 MB", [0x30, 0xff, 0xff, 0xff, 0x5f]],
  ["QoS 3", [0x36, 4, 0, 1, 0x74, 0]],
  ["a topic longer than its packet", [0x30, 3, 0, 9, 0x74]],
  ["a PUBLISH without a body", [0x30, 0]],
  ["a PUBLISH without its packet id", [0x32, 3, 0, 1, 0x74]],
  ["an empty CONNACK", [0x20, 0]],
  ["an empty PUBACK", [0x40, 0]],
  ["an empty SUBACK", [0x90, 0]],
])("%s closes the connection, and the next one works", async (_, bytes) => {
  await using broker = await openScriptedBroker((link, { cmd }) => {
    if (cmd !== "subscribe") return;
    if (link.number === 1) link.socket.write(Buffer.from(bytes));
    else link.send(publish("after"));
  });
  await using client = open(broker.port);
  const received = collect(client.session);
  await until("a message", () => received.length > 0);
  expect(received).toEqual(["after"]);
  expect(broker.connections()).toBe(2);
  expect(client.reasons).toEqual([expect.stringMatching(/malformed|too large/)]);
});

test("kept messages that were not acknowledged are sent again, in order, and the others are not", async () => {
  const published: string[][] = [];
  await using broker = await openScriptedBroker((link, packet) => {
    if (packet.cmd !== "publish") return;
    const own = published[link.number - 1] ?? [];
    published[link.number - 1] = own;
    own.push(packet.payload.toString());
    if (link.number === 1 && own.length > 5) link.socket.destroy();
    else link.send({ cmd: "puback", messageId: packet.messageId ?? 0 });
  });
  await using client = open(broker.port);
  await until("the connection", () => client.session.connected);
  for (let number = 0; number < 20; number++) client.session.publish("t", `${number}`, { keep: true });
  await until("the last message, on the second connection", () => published[1]?.at(-1) === "19");
  const acknowledged = published[0]?.slice(0, 5);
  expect(acknowledged).toEqual(["0", "1", "2", "3", "4"]);
  expect(published[1]).toEqual(Array.from({ length: 15 }, (_, at) => `${at + 5}`));
});

test("a session survives many lost connections, and subscribes again each time", async () => {
  const links: Link[] = [];
  await using broker = await openScriptedBroker((link, { cmd }) => {
    if (cmd !== "subscribe") return;
    links.push(link);
    link.send(publish(`${link.number}`));
  });
  await using client = open(broker.port);
  const received = collect(client.session);
  for (let lost = 0; lost < 4; lost++) {
    await until("its message", () => received.length > lost);
    links[lost]?.socket.destroy();
  }
  await until("five messages", () => received.length === 5);
  expect(received).toEqual(["1", "2", "3", "4", "5"]);
  expect(new Set(client.reasons)).toEqual(new Set(["the connection was closed"]));
});
