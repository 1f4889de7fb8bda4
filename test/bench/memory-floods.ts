// One account does its worst, in one way after another, each against a hub of its own: how far RSS rises above its level
// before, at its highest and five seconds after the flood.
//
// There is no twin: what counts is that the hub still fits beside others on a Raspberry Pi with a gigabyte.
import { connect, type Socket } from "node:net";
import { generate, type IConnectPacket, type Packet } from "mqtt-packet";
import { atMost, type Bench, holds, type Row } from "./support/bench.ts";
import { type HubUnderTest, MQTT_PASSWORD, MQTT_USER, startHub } from "./support/hub-under-test.ts";
import { rssMiB } from "./support/proc.ts";

const CEILING_MIB = 256;
const SETTLE_MS = 3000;
const AFTER_MS = 5000;
const FLOOD_MS = 10_000;
const CHUNK = 60_000;

interface Flood {
  hub: HubUnderTest;
  /** A connection that is logged in. */
  open(options?: Partial<IConnectPacket> & { protocolVersion?: 4 | 5 }): Promise<Guest>;
  over: () => boolean;
  token: string;
}

interface Guest {
  socket: Socket;
  version: 4 | 5;
  /** Resolves when the socket has taken it, or is gone. */
  send(...packets: Packet[]): Promise<void>;
}

const text = (bytes: number): string => "x".repeat(bytes);
const publish = (topic: string, payload: string | Buffer, rest: object = {}): Packet =>
  ({ cmd: "publish", topic, payload, qos: 0, retain: false, dup: false, ...rest }) as Packet;
const subscribe = (topics: string[], qos: 0 | 1): Packet =>
  ({ cmd: "subscribe", messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos })) }) as Packet;
const deep = (index: number): string => Array.from({ length: 20 }, (_, level) => `${index}_${level}`).join("/");

const WAYS: Record<string, (flood: Flood) => Promise<void>> = {
  async "custom events of 900 kB"({ open, over }) {
    const guest = await open();
    for (let index = 0; index < 1500 && !over(); index++)
      await guest.send(publish("hub/events/flood", JSON.stringify({ index, text: text(900_000) })));
  },
  async "GET /events of them, twenty at once"(flood) {
    await WAYS["custom events of 900 kB"]?.(flood);
    const ask = () =>
      fetch(`http://127.0.0.1:${flood.hub.port}/api/v1/events?limit=1000`, {
        headers: { authorization: `Bearer ${flood.token}` },
      }).then((answer) => answer.text());
    await Promise.all(Array.from({ length: 20 }, ask));
  },
  async "a device with ever new attributes"({ open, over }) {
    const guest = await open();
    for (let index = 0; index < 4000 && !over(); index++)
      await guest.send(publish("hub/devices/grower/state/partial", JSON.stringify({ [`n${index}`]: text(100_000) })));
  },
  async "new devices of 300 kB of empty lists"({ open, over }) {
    const guest = await open();
    const lists = `{"lists":[${"[],".repeat(100_000)}[]]}`;
    for (let index = 0; index < 1000 && !over(); index++)
      await guest.send(publish(`hub/devices/d${index}/state`, lists));
  },
  async "retained messages of 500 kB, and of a byte in a large packet's wake"({ open, over }) {
    const guest = await open();
    for (let index = 0; index < 600 && !over(); index++)
      await guest.send(publish(`r/${index}`, text(500_000), { retain: true }));
    for (let index = 0; index < 15_000 && !over(); index++)
      await guest.send(publish(`s/${index}`, "1", { retain: true }), publish("nobody", text(CHUNK)));
  },
  async "queues of a hundred kept sessions"({ open, over }) {
    for (let index = 0; index < 100; index++) {
      const session = await open({ clientId: `kept-${index}`, clean: false });
      await session.send(subscribe([`q/${index % 10}`], 1));
      await session.send({ cmd: "disconnect" } as Packet);
    }
    const guest = await open();
    for (let index = 0; index < 3000 && !over(); index++)
      await guest.send(publish(`q/${index % 10}`, text(400_000), { qos: 1, messageId: 1 + (index % 60_000) }));
  },
  async "QoS 2 without release, forty connections"({ open, over }) {
    const guests = await Promise.all(Array.from({ length: 40 }, () => open()));
    for (let messageId = 1; messageId <= 200 && !over(); messageId++)
      await Promise.all(guests.map((guest) => guest.send(publish("n", text(400_000), { qos: 2, messageId }))));
  },
  async "packets that never end, two hundred connections"({ open }) {
    const begun = Buffer.concat([Buffer.from([0x30, 0x80, 0x80, 0x40, 0, 1, 120]), Buffer.alloc(1_000_000)]);
    const guests = await Promise.all(Array.from({ length: 200 }, () => open()));
    for (const { socket } of guests) socket.write(begun);
    await Bun.sleep(FLOOD_MS / 2);
  },
  async "sixty readers that do not read, large messages"({ open, over }) {
    await slowReaders(open, 60);
    const guest = await open();
    for (let index = 0; index < 3000 && !over(); index++) await guest.send(publish("slow", text(500_000)));
  },
  async "sixty readers that do not read, empty messages"({ open, over }) {
    await slowReaders(open, 60);
    const guest = await open();
    const many = Array.from({ length: 500 }, () => publish("slow", ""));
    while (!over()) await guest.send(...many);
  },
  async "MQTT 5 readers that acknowledge nothing"({ open, over }) {
    for (let index = 0; index < 40; index++) {
      const reader = await open({ protocolVersion: 5, properties: { receiveMaximum: 1 } });
      await reader.send(subscribe(["held"], 1));
    }
    const guest = await open();
    for (let index = 0; index < 1000 && !over(); index++)
      await guest.send(publish("held", text(300_000), { qos: 1, messageId: 1 + (index % 60_000) }));
  },
  async "filters of twenty levels, two hundred connections"({ open, over }) {
    for (let client = 0; client < 200 && !over(); client++) {
      const guest = await open();
      for (let from = 0; from < 1000; from += 100)
        await guest.send(
          subscribe(
            Array.from({ length: 100 }, (_, index) => deep(client * 1000 + from + index)),
            1,
          ),
        );
    }
  },
  async "attributes of 8 kB that change all the time"({ open, over }) {
    const guest = await open();
    for (let index = 0; !over(); index++)
      await guest.send(publish(`hub/devices/t${index % 20}/state`, JSON.stringify({ text: `${index}${text(8000)}` })));
  },
};

async function slowReaders(open: Flood["open"], count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const reader = await open();
    await reader.send(subscribe(["slow"], 0));
    reader.socket.pause();
  }
}

export const memoryFloods: Bench = {
  name: "memory-floods",
  async run({ binary, folder, say }) {
    const rows: Row[] = [];
    for (const [index, [name, way]] of Object.entries(WAYS).entries()) {
      const { before, most, after, alive } = await flooded({ binary, folder: `${folder}/${index}` }, way);
      say(`${name}: ${before.toFixed(0)} MiB before, +${most.toFixed(0)} at most, +${after.toFixed(0)} afterwards`);
      rows.push(atMost(`RSS growth MiB: ${name}`, most, undefined, CEILING_MIB, "MiB"));
      if (!alive) rows.push(holds(`alive after: ${name}`, false));
    }
    return rows;
  },
};

async function flooded(place: { binary: string; folder: string }, way: (flood: Flood) => Promise<void>) {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await startHub({ ...place, mayAll: true, asShipped: true }));
  const sockets: Socket[] = [];
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  const token = await hub.login();
  await Bun.sleep(SETTLE_MS);
  const before = rssMiB(hub.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rssMiB(hub.pid));
  }, 50);
  stack.defer(() => clearInterval(watch));
  const end = performance.now() + FLOOD_MS;
  const open: Flood["open"] = (options) => openGuest(hub.mqttPort, sockets, options);
  await way({ hub, open, token, over: () => performance.now() > end });
  await Bun.sleep(SETTLE_MS);
  const answer = await fetch(`http://127.0.0.1:${hub.port}/api/v1/health`).catch(() => undefined);
  for (const socket of sockets) socket.destroy();
  await Bun.sleep(AFTER_MS);
  const alive = answer?.ok === true;
  return { before, most: most - before, after: alive ? rssMiB(hub.pid) - before : 0, alive };
}

/** Its answers are thrown away. */
async function openGuest(
  port: number,
  sockets: Socket[],
  { protocolVersion = 4, ...options }: Partial<IConnectPacket> & { protocolVersion?: 4 | 5 } = {},
): Promise<Guest> {
  const socket = connect({ host: "127.0.0.1", port });
  sockets.push(socket);
  socket.on("error", () => {});
  const welcomed = new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.once("close", () => resolve());
  });
  socket.on("data", () => {});
  const hello = {
    ...{ cmd: "connect", protocolId: "MQTT", protocolVersion, clean: true, keepalive: 0 },
    ...{ clientId: `flood-${crypto.randomUUID()}`, username: MQTT_USER, password: Buffer.from(MQTT_PASSWORD) },
    ...options,
  };
  socket.write(generate(hello as Packet, { protocolVersion }));
  await welcomed;
  return {
    socket,
    version: protocolVersion,
    async send(...packets) {
      const bytes = Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion })));
      if (socket.destroyed || socket.write(bytes)) return;
      // One that does not go on is left to itself after a while: that is the hub's doing.
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          clearTimeout(timer);
          socket.off("drain", goOn).off("close", goOn);
          resolve();
        };
        const timer = setTimeout(goOn, 2000);
        socket.on("drain", goOn).on("close", goOn);
      });
    },
  };
}
