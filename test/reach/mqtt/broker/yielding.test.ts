// A hub that one client floods goes on answering others meanwhile. How fast it does is measured by `bun run bench floods`.
import { expect, test } from "bun:test";
import { generate, type Packet } from "mqtt-packet";
import { startTestHub, type TestHub } from "../../../support/test-hub.ts";
import { connectPacket, openRaw } from "../raw.ts";
import { until } from "../support.ts";

const FREE =
  "max_messages_per_second = 1000000\nmax_mb_per_second = 4096\nmax_new_devices_per_minute = 1000000\n[devices]\nmax_devices_per_account = 100000\nmax_devices = 100000\n";
const rest = { retain: false, dup: false, messageId: 1 } as const;

const floods: [what: string, packets: () => Packet[]][] = [
  [
    "10,000 states of new devices",
    () =>
      Array.from({ length: 10_000 }, (_, n) => ({
        ...{ cmd: "publish", topic: `hub/devices/new_${n}/state`, payload: `{"n":${n}}`, qos: 0, ...rest },
      })),
  ],
  [
    "10,000 registrations",
    () =>
      Array.from({ length: 10_000 }, (_, n) => ({
        ...{
          cmd: "publish",
          topic: "hub/plugins/p/register",
          payload: `{"device_id":"d${n}","name":"n"}`,
          qos: 0,
          ...rest,
        },
      })),
  ],
  [
    "200 subscriptions to 900 filters each",
    () =>
      Array.from({ length: 200 }, () => ({
        cmd: "subscribe",
        messageId: 1,
        subscriptions: Array.from({ length: 900 }, (_, n) => ({ topic: `hub/a/${n}/+/x`, qos: 1 })),
      })),
  ],
] as [string, () => Packet[]][];

/** How many times /health answered before it was over. A hub that takes the flood in one piece answers after it. */
async function answersWhile(hub: TestHub, busy: () => boolean): Promise<number> {
  let answers = 0;
  for (; ; answers++) {
    const answer = await hub.request("GET", "/health");
    expect(answer.status).toBe(200);
    if (!busy()) return answers;
    // Leaves the hub, which is in this process, to its flood.
    await Bun.sleep(2);
  }
}

test.each(floods)("%s: /health answers, and everything is taken", async (_what, packets) => {
  await using hub = await startTestHub({ toml: FREE });
  const raw = await openRaw(hub.mqttPort);
  raw.send(connectPacket());
  await until(() => raw.packets.length === 1);
  const bytes = Buffer.concat([...packets(), { cmd: "pingreq" } as Packet].map((packet) => generate(packet)));
  raw.socket.write(bytes);
  const done = () => raw.packets.some(({ cmd }) => cmd === "pingresp");
  const answers = await answersWhile(hub, () => !done() && !raw.closed());
  expect(done()).toBe(true);
  expect(answers).toBeGreaterThan(5);
});
