// Attacks beside the floods of accounts and strangers, each from a process of its own. Argument: AttackOrder as JSON. It goes on until its
// time is up and prints what it did as one JSON object.
import { connectAsync, type MqttClient } from "mqtt";

export const ATTACKS = ["mqtt guesses", "templates", "unread streams", "large bodies", "searching"] as const;
export type Attack = (typeof ATTACKS)[number];

export interface AttackOrder {
  attack: Attack;
  port: number;
  mqttPort: number;
  ms: number;
  /** May publish homeassistant/#. */
  username: string;
  password: string;
  /** Of a viewer. */
  token: string;
}

const GRACE_MS = 500;
const ENTITIES = 800;
const BODY_BYTES = 900_000;
const DEPTH = 100_000;
const RETRY_MS = 20;

interface Work {
  order: AttackOrder;
  isOver: () => boolean;
  count: (what: string, by?: number) => void;
}

const attacks: Record<Attack, (work: Work) => Promise<void>> = {
  async "mqtt guesses"({ order, isOver, count }) {
    while (!isOver()) {
      const guess = { username: "guest", password: crypto.randomUUID(), reconnectPeriod: 0, connectTimeout: 2000 };
      const client = await connectAsync(`mqtt://127.0.0.1:${order.mqttPort}`, guess).catch(() => undefined);
      count(client ? "let in" : "refused");
      await client?.endAsync(true);
      await Bun.sleep(1);
    }
  },
  /** Devices of one topic, each of whose templates is as long as it may be. */
  async templates(work) {
    await withClient(work, async (client, round) => {
      if (round === 0)
        for (let index = 0; index < ENTITIES; index++) {
          const config = {
            name: `Flood ${index}`,
            unique_id: `flood_t_${index}`,
            state_topic: "flood/t",
            value_template: `{% for i in range(300) %}{{ value_json.v${index} }}{% endfor %}`,
          };
          client.publish(`homeassistant/sensor/flood_t_${index}/config`, JSON.stringify(config));
        }
      client.publish("flood/t", JSON.stringify({ [`v${round % ENTITIES}`]: round }));
      work.count("messages");
      await Bun.sleep(5);
    });
  },
  /** WebSockets that are opened, and then never read. */
  async "unread streams"({ order, isOver, count }) {
    const head = `GET /api/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${order.token}\r\n\r\n`;
    // One that was cut is opened anew, and does not outlast the others.
    const end = performance.now() + order.ms;
    const one = async (): Promise<void> => {
      const closed = Promise.withResolvers<void>();
      await Bun.connect({
        hostname: "127.0.0.1",
        port: order.port,
        socket: {
          open(socket) {
            count("opened");
            socket.write(head);
            socket.pause();
          },
          data() {},
          close: () => closed.resolve(),
          error: () => closed.resolve(),
        },
      }).catch(() => closed.resolve());
      await Promise.race([closed.promise, Bun.sleep(Math.max(0, end - performance.now()))]);
      await Bun.sleep(RETRY_MS);
    };
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (!isOver()) await one();
      }),
    );
  },
  /** Bodies that are as large, or as deep, as they may be. */
  async "large bodies"(work) {
    const bodies = [JSON.stringify({ on: "y".repeat(BODY_BYTES) }), `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`];
    await requests(work, 8, (round) => ({ path: "/devices/bench_0", method: "PATCH", body: bodies[round % 2] }));
  },
  /** What an account may read that is dear: all events, all devices, the history of years. */
  async searching(work) {
    const paths = [
      "/events?limit=10000",
      "/devices",
      "/devices/bench_0/history?from=2000-01-01T00:00:00Z&to=2040-01-01T00:00:00Z",
      "/openapi.json",
    ];
    await requests(work, 8, (round) => ({ path: paths[round % paths.length] as string, method: "GET" }));
  },
};

interface Asked {
  path: string;
  method: string;
  body?: string | undefined;
}

async function requests({ order, isOver, count }: Work, atOnce: number, next: (round: number) => Asked): Promise<void> {
  async function one(index: number): Promise<void> {
    for (let round = index; !isOver(); round++) {
      const { path, method, body } = next(round);
      const answer = await fetch(`http://127.0.0.1:${order.port}/api/v1${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${order.token}` },
        signal: AbortSignal.timeout(10_000),
        ...(body === undefined ? {} : { body }),
      }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      count(answer ? `answered ${answer.status}` : "not answered");
      if (!answer) await Bun.sleep(RETRY_MS);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => one(index)));
}

async function withClient(
  { order, isOver }: Work,
  act: (client: MqttClient, round: number) => Promise<void>,
): Promise<void> {
  const { username, password } = order;
  const client = await connectAsync(`mqtt://127.0.0.1:${order.mqttPort}`, { username, password, reconnectPeriod: 100 });
  client.on("error", () => {});
  for (let round = 0; !isOver(); round++) await act(client, round);
  await client.endAsync(true);
}

async function main(order: AttackOrder): Promise<void> {
  const end = performance.now() + order.ms;
  const did: Record<string, number> = {};
  const count = (what: string, by = 1): void => {
    did[what] = (did[what] ?? 0) + by;
  };
  const isOver = (): boolean => performance.now() > end;
  await Promise.race([attacks[order.attack]({ order, isOver, count }), Bun.sleep(order.ms + GRACE_MS)]);
  process.stdout.write(`did=${JSON.stringify(did)}\n`);
  process.exit(0);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as AttackOrder);
