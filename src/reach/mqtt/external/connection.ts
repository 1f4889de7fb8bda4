// One connection to the external broker, from CONNECT to its end. It never reconnects and never sends anything twice: session.ts
// decides what happens next.
import type { Duplex } from "node:stream";
import type { IConnackPacket, MqttClient } from "mqtt";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Endpoint, Login } from "./endpoint.ts";
import { ConnectError, connectError, endText, PublishError } from "./failure.ts";
import { MessageIntake, type Received } from "./message-intake.ts";

export interface Connection {
  readonly version: MqttVersion;
  /** Whether the broker had kept the session. */
  readonly sessionPresent: boolean;
  /** What a broker of MQTT 5 says of itself. */
  readonly properties: NonNullable<IConnackPacket["properties"]>;
  readonly open: boolean;
  /** Resolves when the broker acknowledged it, or with QoS 0 when it is written. Throws PublishError. */
  publish(message: Outgoing): Promise<void>;
  /**
   * The QoS that was granted. `own`: also to what this connection publishes, which 3.1.1 cannot leave out.
   * Throws ConnectError `lacking` where it is refused, and PublishError.
   */
  subscribe(filter: string, qos: 0 | 1 | 2, options?: { own?: boolean }): Promise<number>;
  /** Says goodbye; the broker keeps the session. */
  close(): Promise<void>;
  /** Ends it at once, when the broker no longer answers. `isDeaf`: when it no longer passes anything on to the hub. */
  cut(reason: string, options?: { isDeaf?: boolean }): void;
  readonly ended: Promise<Ended>;
}

export type MqttVersion = 4 | 5;

export interface Outgoing {
  topic: string;
  payload: string | Buffer;
  qos: 0 | 1;
  retain: boolean;
}

export interface Ended {
  reason: string;
  /** With which a broker of MQTT 5 ended it. */
  code: number | undefined;
  /** The session passes nothing on. */
  isDeaf?: boolean;
}

export interface OpenOptions {
  clock: Clock;
  endpoint: Pick<Endpoint, "stream">;
  login: Login;
  clientId: string;
  clean: boolean;
  /** How long a broker of MQTT 5 keeps the session. */
  sessionSecs: number;
  /** The largest packet that a broker of MQTT 5 sends. */
  maxPacketBytes: number;
  onMessage: (message: Received) => void;
}

const CONNECT_MS = 10_000;
// A broker that hangs is noticed within one and a half times as long.
const KEEPALIVE_SECS = 15;
const GOODBYE_MS = 1000;
// A broker of 3.1.1 is not sent the reason is too large; what MQTT can say at all.
const MAX_BYTES = 268_435_455;

/** Tries MQTT 5, then 3.1.1; `known`: what it spoke before. Throws ConnectError. */
export async function openConnection(options: OpenOptions, known?: MqttVersion): Promise<Connection> {
  if (known === 4) return open(options, 4);
  try {
    return await open(options, 5);
  } catch (error) {
    const { kind } = connectError(error);
    if (kind !== "version" && kind !== "closed") throw error;
    return open(options, 4);
  }
}

async function open(options: OpenOptions, version: MqttVersion): Promise<Connection> {
  const { clock, endpoint, login, clientId, clean, sessionSecs, maxPacketBytes, onMessage } = options;
  const { MqttClient } = await import("mqtt");
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  let failure: ConnectError | undefined;
  const failed = (error: unknown): void => {
    failure ??= connectError(error);
  };
  const dial = await endpoint.stream(failed);
  let intake: MessageIntake | undefined;
  const streamOf = (of: MqttClient): Duplex => {
    const most = version === 5 ? maxPacketBytes : MAX_BYTES;
    intake = new MessageIntake(dial(of), { clock, protocolLevel: version, maxPacketBytes: most, onMessage });
    return intake.stream;
  };
  const client = new MqttClient(streamOf, {
    ...(login.username !== undefined && { username: login.username }),
    ...(login.password !== undefined && { password: login.password }),
    ...{ clientId, clean, protocolVersion: version, keepalive: KEEPALIVE_SECS, connectTimeout: CONNECT_MS },
    ...{ reconnectPeriod: 0, resubscribe: false, queueQoSZero: false },
    ...(version === 5 && {
      properties: { sessionExpiryInterval: clean ? 0 : sessionSecs, maximumPacketSize: maxPacketBytes },
    }),
  });
  client.on("error", failed);
  client.once("close", () => {
    client.end(true);
    reject(failure ?? new ConnectError("closed", "it closes the connection without a word"));
  });
  client.once("connect", (connack) => {
    resolve(running(client, connack, { version, intake }));
    intake?.open();
  });
  return promise;
}

interface Running {
  version: MqttVersion;
  intake: MessageIntake | undefined;
}

function running(client: MqttClient, connack: IConnackPacket, { version, intake }: Running): Connection {
  const ended = Promise.withResolvers<Ended>();
  const lost = new Set<(error: Error) => void>();
  let isOpen = true;
  let code: number | undefined;
  let reason: string | undefined;
  let deaf = false;
  client.on("disconnect", (packet) => {
    code = packet.reasonCode;
  });
  client.on("error", (error) => {
    reason ??= error.message;
  });
  client.once("close", () => {
    isOpen = false;
    const text = code === undefined && reason !== undefined ? `the connection was lost: ${reason}` : endText(code);
    for (const reject of lost) reject(new PublishError("unknown", text));
    lost.clear();
    ended.resolve({ reason: text, code, isDeaf: deaf });
  });

  /** Rejects too when the connection ends first: the library then keeps waiting for its next connection. */
  function untilEnd<T>(work: (settle: { done(value: T): void; failed(error: Error): void }) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!isOpen) return reject(new PublishError("unknown", endText(code)));
      lost.add(reject);
      work({
        done(value) {
          lost.delete(reject);
          resolve(value);
        },
        failed(error) {
          lost.delete(reject);
          reject(error);
        },
      });
    });
  }

  return {
    version,
    sessionPresent: connack.sessionPresent,
    properties: connack.properties ?? {},
    get open() {
      return isOpen;
    },
    publish: ({ topic, payload, qos, retain }) =>
      untilEnd(({ done, failed }) =>
        client.publish(topic, payload, { qos, retain }, (error) => {
          if (error) failed(new PublishError(isOpen ? "refused" : "unknown", refusalText(error)));
          else done();
        }),
      ),
    subscribe: (filter, qos, { own = false } = {}) =>
      untilEnd(({ done, failed }) =>
        client.subscribe(filter, version === 5 ? { qos, nl: !own, rap: false, rh: 0 } : { qos }, (error, granted) => {
          const got = granted?.[0]?.qos;
          if (error || got === undefined || got > 2)
            failed(new ConnectError("lacking", `the account may not subscribe to ${filter}: allow it at the broker`));
          else done(got);
        }),
      ),
    async close() {
      // Nothing could be sent on what comes from now on.
      intake?.leave();
      client.end();
      // The library waits for all acknowledgements, and `end(true)` does nothing while it waits.
      const timer = setTimeout(() => client.stream.destroy(), GOODBYE_MS);
      await ended.promise;
      clearTimeout(timer);
    },
    cut(why, { isDeaf = false } = {}) {
      reason ??= why;
      deaf = isDeaf;
      client.stream.destroy();
    },
    ended: ended.promise,
  };
}

function refusalText(error: Error & { code?: unknown }): string {
  if (error.code === 135) return "the hub's account may not publish there: allow it at the broker";
  if (error.code === 149) return "the message is larger than the broker takes";
  if (error.code === 151) return "a quota of the hub's account at the broker is used up";
  return `the broker refuses it: ${error.message}`;
}
