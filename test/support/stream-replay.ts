// Replays MQTT streams against a hub in the pieces they once arrived in, and counts every packet that is answered and every
// message that is taken. Recorded streams lie beside the repository; without them there are made-up ones.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { generate, type IPublishPacket, type Packet, parser } from "mqtt-packet";
import { startChild } from "../bench/support/child.ts";
import { isTimeUp, randomOf } from "./campaign.ts";
import type { Random } from "./random.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** What follows a CONNECT. */
export interface RecordedStream {
  pieces: Buffer[];
  messages: IPublishPacket[];
  /** Packets that are answered, as `puback 7`. */
  answers: string[];
}

const RECORDED = join(import.meta.dir, "..", "..", "..", "shared", "fixtures", "mqtt-streams.json");
const LOGIN = { username: "replay", password: "a password for the replay" };

/** Undefined where the recording is not there. */
export function recordedStreams(): RecordedStream[] | undefined {
  if (!existsSync(RECORDED)) return undefined;
  const { streams } = JSON.parse(readFileSync(RECORDED, "utf8")) as {
    streams: { bytes_base64: string; chunks: number[] }[];
  };
  return streams.map(({ bytes_base64, chunks: [login = 0, ...chunks] }) =>
    streamOf(Buffer.from(bytes_base64, "base64").subarray(login), chunks),
  );
}

/** A plugin's start: subscriptions, then registrations and states of QoS 1 and a few messages of QoS 0. */
export function madeUpStreams(): RecordedStream[] {
  return [3, 11, 29].map((step) => {
    const packets: Packet[] = [];
    for (let messageId = 1; messageId <= 6; messageId++) {
      packets.push({
        cmd: "subscribe",
        messageId,
        subscriptions: [{ topic: `hub/devices/lamp_${messageId}/cmd`, qos: 1 }],
      });
    }
    for (let messageId = 7; messageId < 40; messageId++) {
      const payload = JSON.stringify({ on: true, text: "x".repeat((messageId * 53) % 900) });
      const topic = `hub/devices/lamp_${messageId % 6}/${messageId % 3 === 0 ? "seen" : "state"}`;
      const qos = messageId % step === 0 ? 0 : 1;
      packets.push({ cmd: "publish", topic, payload, qos, messageId, retain: false, dup: false });
    }
    const bytes = Buffer.concat(packets.map((packet) => generate(packet)));
    return streamOf(bytes, [step * 13, step * 90, 3000]);
  });
}

function streamOf(bytes: Buffer, chunks: readonly number[]): RecordedStream {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of [...chunks, bytes.length]) {
    if (at < bytes.length) pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  const messages: IPublishPacket[] = [];
  const answers: string[] = [];
  const reader = parser();
  reader.on("packet", (packet: Packet) => {
    if (packet.cmd === "publish") messages.push(packet);
    if (packet.cmd === "subscribe") answers.push(`suback ${packet.messageId}`);
    if (packet.cmd === "publish" && packet.qos === 1) answers.push(`puback ${packet.messageId}`);
  });
  reader.parse(bytes);
  return { pieces, messages, answers };
}

export interface ReplayHub extends AsyncDisposable {
  readonly mqttPort: number;
  /** Calls for every message the hub takes. No MQTT client: one that is subscribed makes the broker work otherwise. */
  watch(onMessage: (topic: string) => void): Promise<Disposable>;
}

/** The compiled hub in a home of its own, with an account that may publish all that is replayed. */
export async function startReplayHub(binary: string): Promise<ReplayHub> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  mkdirSync(folder.at("config"), { recursive: true });
  const { username, password } = LOGIN;
  writeFileSync(
    folder.at("config/hub.toml"),
    `[server]\nhost = "127.0.0.1"\nport = 0\n[auth]\njwt_secret = "${crypto.randomUUID()}${crypto.randomUUID()}"
[mqtt]\nhost = "127.0.0.1"\nport = 0\nmax_messages_per_second = 1000000
max_mb_per_second = 4096
max_deliveries_per_second = 10000000
[[mqtt.users]]\nusername = "${username}"\npassword = "${password}"\npublish = ["hub/#"]\nsubscribe = ["hub/#"]\n`,
    { mode: 0o600 },
  );
  const child = stack.use(startChild([binary, "serve", "--home", folder.path]));
  const [port, mqttPort, secret] = await child.printed(
    /the API answers .*port=(\d+)/,
    /the MQTT broker listens .*port=(\d+)/,
    /^password: (\S+)/m,
  );
  const api = `127.0.0.1:${port}/api/v1`;
  const login = await fetch(`http://${api}/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password: secret }),
  });
  const { token } = (await login.json()) as { token: string };
  const parts = stack.move();
  return {
    mqttPort: Number(mqttPort),
    async watch(onMessage) {
      const socket = new WebSocket(`ws://${api}/events/stream?token=${token}&type=mqtt_message`);
      socket.addEventListener("message", ({ data }) =>
        onMessage((JSON.parse(String(data)) as { topic: string }).topic),
      );
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("close", reject);
      });
      return { [Symbol.dispose]: () => socket.close() };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function open(port: number, clientId: string): Promise<Socket> {
  const { username, password } = LOGIN;
  const socket = connect({ host: "127.0.0.1", port });
  socket.setNoDelay(true);
  const rest = { protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 0 } as const;
  socket.write(generate({ cmd: "connect", ...rest, clientId, username, password: Buffer.from(password) }));
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => resolve(socket));
  });
}

export interface Replays {
  replays: number;
  messages: number;
  /** What went wrong, in words; empty when every packet was answered and every message delivered once. */
  wrong: string[];
}

/** Several replays at a time, each by a client of its own. */
export async function replayAll(hub: ReplayHub, streams: readonly RecordedStream[], replays: number): Promise<Replays> {
  const wrong: string[] = [];
  const delivered = new Map<string, number>();
  const sent = new Map<string, number>();
  using _watch = await hub.watch((topic) => delivered.set(topic, (delivered.get(topic) ?? 0) + 1));

  let next = 0;
  let ended = 0;
  async function client(): Promise<void> {
    for (let number = next++; number < replays && !isTimeUp(); number = next++) {
      const stream = streams[number % streams.length];
      if (!stream) return;
      const problem = await replayOne(hub.mqttPort, stream, number);
      ended++;
      if (problem) wrong.push(`replay ${number}: ${problem}`);
      for (const { topic } of stream.messages) sent.set(topic, (sent.get(topic) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: 6 }, client));
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  await soon(() => total(delivered) >= total(sent));
  for (const [topic, count] of sent) {
    const got = delivered.get(topic) ?? 0;
    if (got !== count) wrong.push(`${topic}: ${got} of ${count} messages`);
  }
  return { replays: ended, messages: total(sent), wrong };
}

function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(2000);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** In the pieces of the recording, every other one in others. */
async function replayOne(port: number, stream: RecordedStream, number: number): Promise<string | undefined> {
  const random = randomOf(`replay ${number}`);
  const socket = await open(port, `replay-${number}`);
  const answers: string[] = [];
  let closed = false;
  let isRead = false;
  const reader = parser();
  reader.on("packet", (packet: Packet) => {
    if (packet.cmd === "pingresp") isRead = true;
    else if (packet.cmd !== "connack" && packet.cmd !== "publish") answers.push(`${packet.cmd} ${packet.messageId}`);
  });
  socket.on("data", (chunk: Buffer) => void reader.parse(chunk));
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  for (const piece of number % 2 === 1 ? piecesOf(Buffer.concat(stream.pieces), random) : stream.pieces) {
    // What is written apart in time is read apart.
    await Bun.sleep(random.next() * 3);
    socket.write(piece);
  }
  // The last message may be one that is not answered: what is answered behind it has been read, too.
  socket.write(generate({ cmd: "pingreq" }));
  await soon(() => closed || (isRead && answers.length >= stream.answers.length));
  const wasClosed = closed;
  socket.destroy();
  if (wasClosed) return `the connection was closed after ${answers.length} answers`;
  const missing = stream.answers.filter((answer) => !answers.includes(answer));
  if (missing.length > 0 || answers.length !== stream.answers.length)
    return `${answers.length} answers instead of ${stream.answers.length}, without ${missing.join(", ")}`;
  return undefined;
}

/** Resolves when it holds, or after a minute. */
async function soon(condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition() && performance.now() < end) await Bun.sleep(1);
}

/** Processes that do nothing but be busy, until disposed. */
export function busyProcesses(count: number): Disposable {
  const busy = Array.from({ length: count }, () => Bun.spawn(["sh", "-c", "while :; do :; done"]));
  return {
    [Symbol.dispose]() {
      for (const child of busy) child.kill();
    },
  };
}
