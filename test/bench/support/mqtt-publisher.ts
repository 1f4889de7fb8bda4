// A plugin-like MQTT 3.1.1 client on a raw socket: publishes in batches and counts the acknowledgements.
import { connect } from "node:net";
import { generate } from "mqtt-packet";
import { MQTT_PASSWORD, MQTT_USER } from "./hub-under-test.ts";

export interface MqttPublisher extends Disposable {
  /** Writes all of them at once. */
  publish(messages: readonly Message[], qos: 0 | 1): void;
  /** PUBACKs so far. */
  readonly acknowledged: number;
  readonly closed: boolean;
}

export interface Message {
  topic: string;
  payload: string;
}

const ACK_BYTES = 4;

export async function openPublisher(port: number, onAcknowledged: () => void = () => {}): Promise<MqttPublisher> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.setNoDelay(true);
  let received = 0;
  let closed = false;
  let messageId = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on("error", reject);
  socket.on("close", () => {
    closed = true;
    reject(new Error("the broker closed the connection"));
  });
  socket.on("data", (chunk: Buffer) => {
    // Without subscriptions all that comes are a CONNACK and PUBACKs, four bytes each.
    if (received === 0 && chunk[0] === 0x20 && chunk[3] !== 0) reject(new Error(`CONNACK ${chunk[3]}`));
    received += chunk.length;
    resolve();
    onAcknowledged();
  });
  socket.write(
    generate({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: 4,
      clientId: `bench-${crypto.randomUUID()}`,
      username: MQTT_USER,
      password: Buffer.from(MQTT_PASSWORD),
      clean: true,
      keepalive: 0,
    }),
  );
  await promise;

  return {
    publish(messages, qos) {
      const packets = messages.map(({ topic, payload }) => {
        messageId = (messageId % 65_535) + 1;
        return generate({ cmd: "publish", topic, payload, qos, retain: false, dup: false, messageId });
      });
      socket.write(Buffer.concat(packets));
    },
    get acknowledged() {
      return Math.floor(received / ACK_BYTES) - 1;
    },
    get closed() {
      return closed;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
