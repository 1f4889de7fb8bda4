// An MQTT 3.1.1 client on a raw socket that receives what comes on one filter, with QoS 0.
import { connect } from "node:net";
import { generate, parser } from "mqtt-packet";
import { MQTT_PASSWORD, MQTT_USER } from "./hub-under-test.ts";

export interface MqttListenerOptions {
  port: number;
  filter: string;
  onMessage: (topic: string) => void;
}

/** Resolves when the broker has granted the subscription. */
export async function openListener({ port, filter, onMessage }: MqttListenerOptions): Promise<Disposable> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.setNoDelay(true);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const packets = parser({ protocolVersion: 4 });
  packets.on("packet", (packet) => {
    if (packet.cmd === "publish") onMessage(packet.topic);
    else if (packet.cmd === "connack") {
      if (packet.returnCode !== 0) reject(new Error(`CONNACK ${packet.returnCode}`));
      socket.write(generate({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: filter, qos: 0 }] }));
    } else if (packet.cmd === "suback") {
      if (packet.granted[0] === 0) resolve();
      else reject(new Error(`SUBACK ${packet.granted}`));
    }
  });
  packets.on("error", reject);
  socket.on("error", reject);
  socket.on("close", () => reject(new Error("the broker closed the connection")));
  socket.on("data", (chunk: Buffer) => void packets.parse(chunk));
  socket.write(
    generate({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: 4,
      clientId: `listener-${crypto.randomUUID()}`,
      username: MQTT_USER,
      password: Buffer.from(MQTT_PASSWORD),
      clean: true,
      keepalive: 0,
    }),
  );
  await promise;
  return { [Symbol.dispose]: () => socket.destroy() };
}
