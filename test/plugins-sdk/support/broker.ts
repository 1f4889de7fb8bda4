// A real broker on a real port that writes down what it carries, and hands out conditions to wait for.
import { createServer, type Server, type Socket } from "node:net";
import { Aedes } from "aedes";
import { freePort } from "../../support/free-port.ts";

export interface Packet {
  topic: string;
  text: string;
}

export interface TestBroker extends AsyncDisposable {
  readonly port: number;
  readonly packets: readonly Packet[];
  /** JSON of everything said on a topic. */
  on(topic: string): Record<string, unknown>[];
  send(topic: string, body: object): void;
  /** What somebody who subscribes now would be given. */
  retained(topic: string): string | undefined;
}

export const PASSWORD = "correct-horse-battery";

export interface BrokerOptions {
  port?: number;
  /** Topics on which a publish is refused, which makes the broker hang up. */
  refuse?: string;
}

export async function openBroker({ port = freePort(), refuse }: BrokerOptions = {}): Promise<TestBroker> {
  const aedes = await Aedes.createBroker({
    authenticate(_client, username, password, done) {
      if (username && password?.toString() === PASSWORD) return done(null, true);
      done(Object.assign(new Error("bad password"), { returnCode: 4 }), null);
    },
    authorizePublish: (_client, packet, done) => done(packet.topic === refuse ? new Error("refused") : null),
  });
  const packets: Packet[] = [];
  const retained = new Map<string, string>();
  aedes.on("publish", ({ topic, payload, retain }) => {
    const text = payload.toString();
    packets.push({ topic, text });
    if (retain) retained.set(topic, text);
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    aedes.handle(socket);
  });
  await listen(server, port);
  const address = server.address();

  return {
    port: typeof address === "object" && address ? address.port : 0,
    packets,
    on: (topic) =>
      packets.filter((packet) => packet.topic === topic && packet.text).map(({ text }) => JSON.parse(text)),
    send(topic, body) {
      const payload = Buffer.from(JSON.stringify(body));
      aedes.publish({ cmd: "publish", dup: false, topic, payload, qos: 1, retain: false }, () => undefined);
    },
    retained: (topic) => retained.get(topic) || undefined,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
}
