// Whether the daily allowance of bytes written holds where much is reported: 100 devices with 200 messages a second together, two of four
// attributes new in each. By hand, as it takes half an hour (ALLOWANCE_MINUTES for another time). Bytes are Linux's count for the hub's
// process, from the first message on, carried on to a day. What may be used at once, and what starting costs, counts the more the
// shorter it runs.
import { join } from "node:path";
import { atMost, type Bench, holds } from "./support/bench.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { prepareHome } from "./support/prepared-hub.ts";
import { bytesWrittenBy } from "./support/proc-io.ts";

const MINUTES = Number(process.env.ALLOWANCE_MINUTES ?? 30);
const LIMIT_MB = 500;
const DEVICES = 100;
const PER_SECOND = 200;
const BATCH_MS = 50;
const SAY_MS = 60_000;
const DAY_SECS = 86_400;
// A tenth of an hour's allowance at once, and a house that reports at first as it pleases.
const SHORT = 1.3;

function messageAt(count: number): { topic: string; payload: string } {
  const state = {
    temperature: 200 + Math.floor(count / DEVICES) / 10,
    humidity: 50,
    battery_pct: 97,
    power_w: ((count * 7919) % 10_007) / 10,
  };
  return { topic: `hub/devices/sensor_${count % DEVICES}/state`, payload: JSON.stringify(state) };
}

export const writeAllowance: Bench = {
  name: "write-allowance",
  async run({ binary, folder, say }) {
    const home = prepareHome(join(folder, "flooded"), `\n[storage]\nmax_write_mb_per_day = ${LIMIT_MB}\n`);
    await using hub = await home.start(binary);
    using publisher = await openPublisher(hub.mqttPort);
    const [begun, before] = [performance.now(), bytesWrittenBy(hub.pid)];
    const secs = (): number => (performance.now() - begun) / 1000;
    const perDay = (): number => ((bytesWrittenBy(hub.pid) - before) / secs() / 1e6) * DAY_SECS;
    let count = 0;
    let saidAt = 0;
    while (secs() < MINUTES * 60) {
      const batch = [];
      for (const due = Math.floor(secs() * PER_SECOND); count < due; count++) batch.push(messageAt(count));
      if (batch.length > 0) publisher.publish(batch, 0);
      await Bun.sleep(BATCH_MS);
      if (performance.now() - saidAt < SAY_MS) continue;
      saidAt = performance.now();
      say(`${Math.round(secs())} s: ${Math.round(perDay())} MB a day`);
    }
    const alerts = await hub.get<{ kind: string; variant?: string; until: string | null }[]>("/system/alerts");
    const reports = alerts.some(({ kind, until }) => kind === "write_allowance" && until === null);
    const devices = await hub.get<{ attributes: Record<string, number> }[]>("/devices");
    const last = devices.filter(({ attributes }) => attributes.temperature !== undefined);
    return [
      atMost(`MB/day at ${PER_SECOND} messages/s, ${LIMIT_MB} allowed`, perDay(), undefined, LIMIT_MB * SHORT, "MB"),
      holds("it says what it records", reports),
      holds("every device is as it reported last", last.length === DEVICES),
    ];
  },
};
