// One account doing its worst, from a process of its own so that measuring is not held up. Argument: FloodOrder as JSON.
// It floods until its time is up and prints what it did as one JSON object.
import { connect as connectTcp, type Socket } from "node:net";
import { generate, type Packet } from "mqtt-packet";

export const FLOODS = [
  "new devices",
  "retained",
  "qos 2",
  "offline queues",
  "connections",
  "subscriptions",
  "custom events",
  "fan-out",
  "logins",
] as const;
export type Flood = (typeof FLOODS)[number];

export interface FloodOrder {
  flood: Flood;
  port: number;
  mqttPort: number;
  ms: number;
  username: string;
  password: string;
}

const BIG = 900_000;
const GRACE_MS = 500;
const AT_ONCE = 16;

async function main(order: FloodOrder): Promise<void> {
  const end = performance.now() + order.ms;
  const isOver = (): boolean => performance.now() > end;
  const did: Record<string, number> = {};
  const count = (what: string, by = 1): void => {
    did[what] = (did[what] ?? 0) + by;
  };
  // A hub that takes nothing any more must not keep this from ending.
  await Promise.race([floods[order.flood]({ order, isOver, count }), Bun.sleep(order.ms + GRACE_MS)]);
  process.stdout.write(`did=${JSON.stringify(did)}\n`);
  process.exit(0);
}

interface Work {
  order: FloodOrder;
  isOver: () => boolean;
  count: (what: string, by?: number) => void;
}

interface Guest {
  /** Resolves when the kernel took it, or at once where the connection is gone. */
  send(packet: Packet | Buffer): Promise<void>;
  readonly isClosed: boolean;
  close(): void;
}

const RETRY_MS = 20;
const OPEN_MS = 2000;

/** Connected and let in; undefined where it is refused or not answered. */
function open(
  { order, count }: Work,
  { clientId, clean = true }: { clientId: string; clean?: boolean },
): Promise<Guest | undefined> {
  const { promise, resolve } = Promise.withResolvers<Guest | undefined>();
  const socket: Socket = connectTcp({ host: "127.0.0.1", port: order.mqttPort });
  let isClosed = false;
  const timer = setTimeout(() => socket.destroy(), OPEN_MS);
  socket.on("error", () => {});
  // Senders that wait for the kernel, all woken by the same word.
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const go of woken) go();
  };
  socket.on("drain", wake);
  socket.on("close", () => {
    isClosed = true;
    clearTimeout(timer);
    count("connections closed");
    resolve(undefined);
    wake();
  });
  const send: Guest["send"] = (packet) => {
    if (isClosed) return Promise.resolve();
    const bytes = Buffer.isBuffer(packet) ? packet : generate(packet);
    if (socket.write(bytes)) return Promise.resolve();
    return new Promise((written) => void waiting.push(written));
  };
  socket.once("data", (chunk: Buffer) => {
    clearTimeout(timer);
    if (chunk[0] !== 0x20 || chunk[3] !== 0) return void socket.destroy();
    count("connections");
    resolve({
      send,
      get isClosed() {
        return isClosed;
      },
      close: () => void socket.destroy(),
    });
  });
  const { username } = order;
  const password = Buffer.from(order.password);
  const login = { cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clientId, username, password } as const;
  void send({ ...login, clean, keepalive: 0 });
  return promise;
}

/** Several of these side by side, each with a connection that is opened anew when the hub ends it. */
async function each(work: Work, guests: number, act: (guest: Guest, round: number) => Promise<void>): Promise<void> {
  async function one(index: number): Promise<void> {
    for (let round = 0; !work.isOver(); ) {
      const guest = await open(work, { clientId: `flood-${index}-${round}` });
      while (guest && !guest.isClosed && !work.isOver()) await act(guest, round++ * guests + index);
      guest?.close();
      if (!work.isOver()) await Bun.sleep(RETRY_MS);
    }
  }
  await Promise.all(Array.from({ length: guests }, (_, index) => one(index)));
}

const publish = (topic: string, payload: string | Buffer, more: object = {}): Packet =>
  ({ cmd: "publish", topic, payload, qos: 0, retain: false, dup: false, ...more }) as Packet;

const big = Buffer.from(JSON.stringify({ x: "y".repeat(BIG) }));

const floods: Record<Flood, (work: Work) => Promise<void>> = {
  async "new devices"(work) {
    await each(work, 4, async (guest, round) => {
      const states = Array.from({ length: 250 }, (_, index) =>
        generate(publish(`hub/devices/flood_${round}_${index}/state`, '{"on":true,"level":3}')),
      );
      work.count("states", states.length);
      await guest.send(Buffer.concat(states));
    });
  },
  async retained(work) {
    await each(work, 4, async (guest, round) => {
      work.count("messages");
      await guest.send(publish(`hub/devices/flood_${round}/schema`, big, { retain: true }));
    });
  },
  async "qos 2"(work) {
    await each(work, AT_ONCE, async (guest, round) => {
      work.count("messages");
      await guest.send(publish("hub/devices/flood_q/state", big, { qos: 2, messageId: 1 + (round % 65_000) }));
    });
  },
  async "offline queues"(work) {
    const sessions = 200;
    for (let index = 0; index < sessions && !work.isOver(); index++) {
      const guest = await open(work, { clientId: `flood-away-${index}`, clean: false });
      await guest?.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "hub/events/flood", qos: 1 }] });
      await Bun.sleep(5);
      guest?.close();
    }
    await each(work, 2, async (guest, round) => {
      work.count("messages");
      await guest.send(publish("hub/events/flood", big, { qos: 1, messageId: 1 + (round % 65_000) }));
    });
  },
  async connections(work) {
    const held = new Set<Guest>();
    let number = 0;
    async function one(): Promise<void> {
      while (!work.isOver()) {
        const guest = await open(work, { clientId: `flood-${number++}` });
        if (guest) held.add(guest);
        else await Bun.sleep(RETRY_MS);
      }
    }
    await Promise.all(Array.from({ length: 64 }, one));
    work.count("held at the end", [...held].filter(({ isClosed }) => !isClosed).length);
  },
  async subscriptions(work) {
    await each(work, 4, async (guest, round) => {
      const subscriptions = Array.from({ length: 100 }, (_, index) => ({
        topic: `hub/events/+/${round}/${index}/${"x/".repeat(10)}#`,
        qos: 1 as const,
      }));
      work.count("subscriptions", subscriptions.length);
      await guest.send({ cmd: "subscribe", messageId: 1 + (round % 65_000), subscriptions });
    });
  },
  async "custom events"(work) {
    await each(work, 4, async (guest) => {
      work.count("events");
      await guest.send(publish("hub/events/flood", big));
    });
  },
  async "fan-out"(work) {
    const topic = "hub/events/flood";
    const filters = [topic, "hub/events/+", "hub/events/#", `${topic}/#`, "hub/events/+/#"];
    for (let index = 0; index < 240 && !work.isOver(); index++) {
      const reader = await open(work, { clientId: `flood-reader-${index}` });
      const subscriptions = filters.map((filter) => ({ topic: filter, qos: 0 as const }));
      await reader?.send({ cmd: "subscribe", messageId: 1, subscriptions });
    }
    const many = Buffer.concat(Array.from({ length: 100 }, () => generate(publish(topic, "{}"))));
    await each(work, 4, async (guest) => {
      work.count("events", 100);
      await guest.send(many);
      await Bun.sleep(1);
    });
  },
  async logins(work) {
    const body = JSON.stringify({ username: "admin", password: "a wrong guess" });
    async function one(): Promise<void> {
      while (!work.isOver()) {
        const answer = await fetch(`http://127.0.0.1:${work.order.port}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          signal: AbortSignal.timeout(OPEN_MS),
        }).catch(() => undefined);
        work.count(answer ? `answered ${answer.status}` : "not answered");
        await answer?.text();
      }
    }
    await Promise.all(Array.from({ length: 64 }, one));
  },
};

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as FloodOrder);
