// A broker in a process of its own, as somebody may run one: aedes, with an account, TLS, and a file that keeps what is retained.
// Prints a line of JSON when it listens. Options: one argument of JSON.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Aedes } from "aedes";

export interface BrokerOptions {
  port: number;
  /** By name. Without it everybody may connect. */
  passwords?: Record<string, string>;
  /** Paths. */
  tls?: { key: string; cert: string };
  /** Path of the file that keeps what is retained. */
  retained?: string;
  /** Publishes to these are acknowledged and dropped, as mosquitto does without the right to them. */
  denied?: string[];
  /** It keeps no retained messages for subscriptions with wildcards, as RabbitMQ does. */
  forgetful?: boolean;
  /** A subscription to this is granted when somebody publishes to `grant`. */
  held?: string;
}

const options = JSON.parse(process.argv[2] ?? "{}") as BrokerOptions;
const { passwords, tls, retained, denied = [], held } = options;
const granted = Promise.withResolvers<void>();
const kept = new Map<string, string>(
  retained && existsSync(retained) ? JSON.parse(readFileSync(retained, "utf8")) : [],
);

const broker = await Aedes.createBroker({
  authenticate: (_client, username, password, done) =>
    done(null, !passwords || (username !== undefined && passwords[username] === password?.toString())),
  authorizeSubscribe(_client, subscription, done) {
    if (subscription.topic !== held) done(null, subscription);
    else granted.promise.then(() => done(null, subscription));
  },
  authorizePublish(_client, packet, done) {
    if (packet.topic === "grant") granted.resolve();
    if (denied.some((topic) => packet.topic.startsWith(topic))) packet.topic = "$denied";
    if (options.forgetful) packet.retain = false;
    done(null);
  },
});
for (const [topic, payload] of kept) {
  const packet = { cmd: "publish", topic, payload: Buffer.from(payload), qos: 1, retain: true, dup: false } as const;
  await new Promise<void>((resolve) => broker.publish(packet, () => resolve()));
}
broker.on("publish", ({ topic, payload, retain }) => {
  if (!retain || !retained) return;
  if (payload.length > 0) kept.set(topic, payload.toString());
  else kept.delete(topic);
  writeFileSync(retained, JSON.stringify([...kept]));
});

const accept = (socket: Socket): void => void broker.handle(socket);
const server = tls
  ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, accept)
  : createServer(accept);
server.listen(options.port, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === "object" ? address?.port : 0 })}\n`);
});
