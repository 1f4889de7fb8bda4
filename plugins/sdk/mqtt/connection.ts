// One TCP connection to the broker, from CONNECT to its end. Reconnecting is the work of session.ts.
import {
  type ConnectOptions,
  createDecoder,
  DISCONNECT,
  encodeConnect,
  encodePuback,
  encodePublish,
  encodeSubscribe,
  PING,
  type Received,
} from "./packets.ts";

// Packet ids have 16 bits, and 0 is not allowed.
const MAX_WAITING = 65_535;

export interface Message {
  topic: string;
  payload: string;
  qos: 0 | 1;
  retain: boolean;
}

export interface Connection {
  /** True once the broker has acknowledged it (QoS 1) or it is written (QoS 0); false when the connection ended first. */
  publish(message: Message): Promise<boolean>;
  /** False when the broker refuses it or the connection ended first. */
  subscribe(filter: string): Promise<boolean>;
  /** Disconnects, so that the broker does not publish the will. */
  close(): void;
  readonly open: boolean;
  /** Resolves with the reason once the connection has ended. */
  ended: Promise<string>;
}

export interface OpenOptions extends ConnectOptions {
  host: string;
  port: number;
  /** Encrypted, and the broker's certificate is checked. */
  tls?: { ca: string | undefined } | undefined;
  connectTimeoutMs?: number;
  onMessage(topic: string, payload: string): void;
}

/** The meaning of the codes 1–5 of CONNACK. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: "it does not speak MQTT 3.1.1",
  2: "it does not accept this client id",
  3: "it is not available",
  4: "the user name or password is wrong",
  5: "this account is not allowed to connect",
};

/** The broker refused the connection. */
export class RefusedError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`the broker refuses the connection: ${REFUSALS[code] ?? `code ${code}`}`);
    this.code = code;
  }
}

/** Resolves when the broker has accepted the connection. Throws RefusedError when it refuses. */
export async function openConnection(options: OpenOptions): Promise<Connection> {
  const { host, port, tls, keepAliveSecs, connectTimeoutMs = 10_000 } = options;
  const waiting = new Map<number, (done: boolean) => void>();
  const writer = createWriter();
  const decode = createDecoder();
  const accepted = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  let over = false;
  let lastId = 0;
  let pongDue = false;
  // In an object, as Bun calls the handlers before `Bun.connect` has returned the socket.
  const box: { socket?: Bun.Socket } = {};

  function finish(reason: string): void {
    if (over) return;
    over = true;
    clearInterval(pinging);
    clearTimeout(connectTimer);
    box.socket?.terminate();
    accepted.reject(new Error(reason));
    for (const done of waiting.values()) done(false);
    waiting.clear();
    end.resolve(reason);
  }

  function handle(packet: Received): void {
    if (packet.type === "connack") {
      clearTimeout(connectTimer);
      if (packet.code === 0) accepted.resolve();
      else {
        accepted.reject(new RefusedError(packet.code));
        finish("refused");
      }
    } else if (packet.type === "pingresp") pongDue = false;
    else if (packet.type === "puback") settle(packet.packetId, true);
    else if (packet.type === "suback") settle(packet.packetId, packet.granted);
    else {
      if (packet.qos > 0) writer.write(encodePuback(packet.packetId));
      options.onMessage(packet.topic, packet.payload);
    }
  }

  function settle(packetId: number, done: boolean): void {
    waiting.get(packetId)?.(done);
    waiting.delete(packetId);
  }

  function nextId(): number {
    do lastId = (lastId % MAX_WAITING) + 1;
    while (waiting.has(lastId));
    return lastId;
  }

  function request(encode: (packetId: number) => Uint8Array): Promise<boolean> {
    // All packet ids are in use.
    if (over || waiting.size >= MAX_WAITING) return Promise.resolve(false);
    const packetId = nextId();
    const answer = new Promise<boolean>((resolve) => waiting.set(packetId, resolve));
    writer.write(encode(packetId));
    return answer;
  }

  function ping(): void {
    if (pongDue) finish("the broker no longer answers");
    else writer.write(PING);
    pongDue = true;
  }

  function begin(socket: Bun.Socket): void {
    if (over) return;
    writer.attach(socket);
    writer.write(encodeConnect(options));
  }

  const connectTimer = setTimeout(() => finish(`no answer within ${connectTimeoutMs / 1000} s`), connectTimeoutMs);
  // Twice as often as the keep-alive time requires: a dead peer is noticed within one keep-alive time.
  const pinging = setInterval(ping, (keepAliveSecs * 1000) / 2);
  accepted.promise.catch(() => undefined);

  Bun.connect({
    hostname: host,
    port,
    ...(tls && { tls: { serverName: host, rejectUnauthorized: true, ...(tls.ca !== undefined && { ca: tls.ca }) } }),
    socket: {
      open(socket) {
        box.socket = socket;
        if (over) return void socket.terminate();
        if (!tls) begin(socket);
      },
      handshake(socket, isTrusted, error) {
        if (isTrusted && !error) begin(socket);
        else finish(`the broker's certificate is not trusted: ${error?.message ?? "unknown reason"}`);
      },
      data(_socket, chunk) {
        try {
          for (const packet of decode(chunk)) handle(packet);
        } catch (error) {
          finish(error instanceof Error ? error.message : "unreadable packet");
        }
      },
      drain: () => writer.flush(),
      close: () => finish("the connection was closed"),
      error: (_socket, error) => finish(error.message),
      connectError: (_socket, error) => finish(error.message),
    },
  }).catch((error: unknown) => finish(error instanceof Error ? error.message : "cannot connect"));

  await accepted.promise;
  return {
    publish(message) {
      if (over) return Promise.resolve(false);
      if (message.qos === 1) return request((packetId) => encodePublish({ ...message, packetId }));
      writer.write(encodePublish({ ...message, packetId: 0 }));
      return Promise.resolve(true);
    },
    subscribe: (filter) => request((packetId) => encodeSubscribe(packetId, filter)),
    close() {
      writer.write(DISCONNECT);
      box.socket?.end();
      // `end` waits for the peer; a broker that hangs must not keep the plugin from ending.
      setTimeout(() => finish("closed"), 200);
    },
    get open() {
      return !over;
    },
    ended: end.promise,
  };
}

/** Sends bytes in order; those that the socket does not accept wait for its `drain` event. */
export interface Writer {
  attach(socket: Pick<Bun.Socket, "write">): void;
  write(bytes: Uint8Array): void;
  flush(): void;
}

export function createWriter(): Writer {
  let target: Pick<Bun.Socket, "write"> | undefined;
  let waiting: Uint8Array[] = [];

  function flush(): void {
    while (target) {
      const first = waiting[0];
      if (!first) return;
      const written = Math.max(0, target.write(first));
      if (written < first.length) {
        waiting[0] = first.subarray(written);
        return;
      }
      waiting.shift();
    }
  }

  return {
    attach(socket) {
      target = socket;
      waiting = [];
    },
    write(bytes) {
      waiting.push(bytes);
      // Behind bytes that wait for the drain, this one has to wait as well, to keep the order.
      if (waiting.length === 1) flush();
    },
    flush,
  };
}
