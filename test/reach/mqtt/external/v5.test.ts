// MQTT 5: another hub's own broker in the place of the external one, behind a wire that can be cut, and can say what a broker says.
import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer, connect as dial, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { startTestHub } from "../../../support/test-hub.ts";
import { until } from "../../../support/wait.ts";
import { retained, startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

const OTHER = '[[mqtt.users]]\nusername = "other"\npassword = "of the other"\npublish = ["#"]\nsubscribe = ["#"]\n';
const LOGIN = 'username = "other"\npassword = "of the other"\nclient_id = "the-hub"\n';

/** A wire to the port. `end`: what it sends to the one with this client id before it cuts it. */
async function wire(port: number) {
  const ends = new Map<Socket, string>();
  const server = createServer((near) => {
    const far = dial(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => one.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
    near.once("data", (connect) => void ends.set(near, connect.toString("latin1")));
    near.once("close", () => void ends.delete(near));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const of = (clientId: string): Socket | undefined => [...ends].find(([, connect]) => connect.includes(clientId))?.[0];
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    async end(clientId: string, bytes: readonly number[]) {
      const socket = await until(`${clientId} is connected`, () => of(clientId));
      socket.write(Buffer.from(bytes));
      socket.end();
      await until("it is gone", () => of(clientId) !== socket);
    },
    [Symbol.dispose]() {
      server.close();
      for (const socket of ends.keys()) socket.destroy();
    },
  };
}

test("MQTT 5: states, events and commands once; what came while the hub was away with QoS 1 is seen", async () => {
  await using own = await startTestHub({ toml: OTHER });
  using line = await wire(own.mqttPort);
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${line.port}`, { toml: LOGIN });
  await hub.connected();
  expect(hub.platform.stdout.text).toContain("version=5");
  using stream = await hub.openStream({ type: "mqtt_message,custom_rang,device_state_changed" });
  const client = await connectAsync({ host: "127.0.0.1", port: own.mqttPort, reconnectPeriod: 0 });
  try {
    await client.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
    await stream.frame("the lamp is on", ({ type }) => type === "device_state_changed");
    const received: string[] = [];
    client.on("message", (topic) => void received.push(topic));
    await client.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
    const answer = await hub.request("PATCH", "/devices/lamp/state", { token: hub.adminToken, body: { on: false } });
    expect(answer.status).toBe(202);
    await until("it arrives", () => received.length > 0);
    // What the broker says when it stops; the hub comes back.
    await line.end("the-hub", [0xe0, 2, 0x8b, 0]);
    await client.publishAsync("hub/events/rang", "{}", { qos: 1 });
    await stream.frame("the event of the outage", ({ type }) => type === "custom_rang");
    await hub.connected();
    await client.publishAsync("hub/events/rang", "{}", { qos: 1 });
    await until("the second event", () => stream.frames.filter(({ type }) => type === "custom_rang").length === 2);
    expect(received).toEqual(["hub/devices/lamp/cmd"]);
    const isOwn = ({ type, topic }: { type: string; topic?: unknown }) =>
      type === "mqtt_message" && `${topic}`.startsWith("hub/");
    const topics = stream.frames.filter(isOwn).map(({ topic }) => topic);
    const events = ["hub/events/rang", "hub/events/rang"];
    expect(topics).toEqual(["hub/devices/lamp/state", "hub/devices/lamp/cmd", ...events]);
  } finally {
    client.end(true);
  }
});

test("where another takes its session twice, the hub stops and says with which client id", async () => {
  await using own = await startTestHub({ toml: OTHER });
  using line = await wire(own.mqttPort);
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${line.port}`, { toml: LOGIN });
  await hub.connected();
  const TAKEN_OVER = [0xe0, 2, 0x8e, 0];
  await line.end("the-hub", TAKEN_OVER);
  await hub.connected();
  await line.end("the-hub", TAKEN_OVER);
  expect(await hub.troubled("another program logs in there")).toContain('"the-hub"');
});
