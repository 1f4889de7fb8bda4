// What comes to the hub while it says goodbye to the broker.
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { generate, type Packet, parser } from "mqtt-packet";
import { messageOf } from "../../../../src/kit/schema/errors.ts";
import { systemClock } from "../../../../src/kit/time/clock.ts";
import { openConnection } from "../../../../src/reach/mqtt/external/connection.ts";
import { createEndpoints } from "../../../../src/reach/mqtt/external/endpoint.ts";
import type { Received } from "../../../../src/reach/mqtt/external/message-intake.ts";
import { soon, until } from "../../../support/wait.ts";

/** A broker that answers a CONNECT, and nothing else by itself; and the hub's connection to it. */
async function connect() {
  const received: Packet[] = [];
  const opened = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    const reader = parser({ protocolVersion: 4 });
    reader.on("packet", (packet) => {
      received.push(packet);
      if (packet.cmd === "connect") socket.write(generate({ cmd: "connack", returnCode: 0, sessionPresent: false }));
    });
    socket.on("data", (chunk: Buffer) => void reader.parse(chunk));
    socket.on("error", () => {});
    opened.resolve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [endpoint] = createEndpoints({ url: `mqtt://127.0.0.1:${port}`, more_urls: [] } as never, (path) => path);
  const taken: Received[] = [];
  const connection = await openConnection(
    {
      ...{ clock: systemClock, endpoint, login: {}, clientId: "hub" },
      ...{ clean: false, sessionSecs: 60, maxPacketBytes: 65_536 },
      onMessage: (message) => void taken.push(message),
    },
    4,
  );
  const socket = await opened.promise;
  return {
    ...{ connection, received, taken, socket },
    [Symbol.dispose]() {
      socket.destroy();
      server.close();
    },
  };
}

test("a message that comes while the connection closes is left to the next one, and what is under way is still acknowledged", async () => {
  using broker = await connect();
  const { connection, received, socket, taken } = broker;
  const message = { cmd: "publish", topic: "t", payload: "1", qos: 1, retain: false, dup: false } as const;
  socket.write(generate({ ...message, messageId: 6 }));
  await until("it is acknowledged", () => received.some((one) => one.cmd === "puback" && one.messageId === 6));

  const published = connection.publish({ topic: "out", payload: "2", qos: 1, retain: false });
  const sent = await until("it is sent", () => received.find((one) => one.cmd === "publish"));
  const closed = connection.close();
  socket.write(generate({ ...message, messageId: 7 }));
  socket.write(generate({ cmd: "puback", messageId: sent.messageId ?? 0 }));
  await published;
  await closed;
  await until("it says goodbye", () => received.some(({ cmd }) => cmd === "disconnect"));
  expect(taken.map(({ messageId }) => messageId)).toEqual([6]);
  expect(received.filter(({ cmd }) => cmd === "puback")).toHaveLength(1);
});

test("a broker that never acknowledges what is under way does not keep the hub from stopping", async () => {
  using broker = await connect();
  const { connection, received } = broker;
  const published = connection.publish({ topic: "out", payload: "2", qos: 1, retain: false }).catch(messageOf);
  await until("it is sent", () => received.some(({ cmd }) => cmd === "publish"));
  await soon("the connection is closed", connection.close(), 10_000);
  expect(await published).toBe("the connection was lost");
});
