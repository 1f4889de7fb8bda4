// Samples that wait for a service that is away: the compiled hub keeps them, is killed meanwhile, and sends all of them in order once
// it is back. HUB_WAITING_SAMPLES says how many: a million has been tried.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { startLineServer } from "../reach/export/line-server.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const SAMPLES = Number(process.env.HUB_WAITING_SAMPLES ?? 40_000);
const DEVICES = 250;
const ATTRIBUTES = 10;
const REPORTS = SAMPLES / ATTRIBUTES;
/** Reports on their way to the hub at once. */
const WINDOW = 200;
const TOML = (url: string) => `[history]
max_size_mb = 4000
[storage]
max_write_mb_per_day = 0
[[history.export]]
name = "tsdb"
kind = "line_protocol"
url = "${url}"
interval_secs = 1
`;

interface Export {
  state: string;
  sent: number;
  lost: number;
  dropped: number;
}

const exportOf = async (hub: HubProcess): Promise<Export | undefined> =>
  (await hub.get<Export[]>("/history/exports"))[0];

/** Report `k` has the numbers from `k * ATTRIBUTES` on. */
async function report(hub: HubProcess, from: number, to: number): Promise<void> {
  const client = await hub.mqtt();
  const underway = new Set<Promise<unknown>>();
  for (let k = from; k < to; k++) {
    const numbers = Array.from({ length: ATTRIBUTES }, (_, a) => [`n${a}`, k * ATTRIBUTES + a]);
    const topic = `hub/devices/meter_${k % DEVICES}/state`;
    const sent: Promise<unknown> = client
      .publishAsync(topic, JSON.stringify(Object.fromEntries(numbers)), { qos: 1 })
      .finally(() => underway.delete(sent));
    underway.add(sent);
    if (underway.size >= WINDOW) await Promise.race(underway);
  }
  await Promise.all(underway);
  await client.endAsync();
}

async function onDisk(hub: HubProcess, samples: number): Promise<void> {
  await until(
    `${samples} samples outlive a kill`,
    async () => {
      const { history } = await hub.get<{ history: { samples_recorded: number } }>("/system/status");
      return history.samples_recorded >= samples;
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
}

const memoryMb = (hub: HubProcess, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1]) / 1024;

test("what waits while the service is away gets there in order, each sample once, also after a kill", async () => {
  using server = startLineServer();
  server.answer = () => new Response("starting", { status: 503 });
  await using place = createHubPlace({ toml: TOML(server.url) });
  const first = await place.start();
  const half = Math.floor(REPORTS / 2);
  await report(first, 0, half);
  await onDisk(first, half * ATTRIBUTES);
  first.kill("SIGKILL");
  await first.exited;

  const hub = await place.start();
  await report(hub, half, REPORTS);
  await onDisk(hub, (REPORTS - half) * ATTRIBUTES);
  expect(await exportOf(hub)).toMatchObject({ sent: 0 });
  const before = memoryMb(hub, "VmRSS");
  // What it needed until here is not what sending needs.
  writeFileSync(`/proc/${hub.pid}/clear_refs`, "5");
  const begun = performance.now();
  let [answers, slowestMs] = [0, 0];
  // It comes back busy: the third message is refused once more.
  server.answer = () => (++answers === 3 ? new Response("busy", { status: 429 }) : undefined);
  await until(
    "all are sent",
    async () => {
      const asked = performance.now();
      const { sent = 0 } = (await exportOf(hub)) ?? {};
      slowestMs = Math.max(slowestMs, performance.now() - asked);
      return sent >= SAMPLES;
    },
    { timeoutMs: 60_000 + SAMPLES / 4, everyMs: 50 },
  );
  const secs = (performance.now() - begun) / 1000;
  const moreMb = memoryMb(hub, "VmHWM") - before;
  process.stdout.write(
    `${SAMPLES} samples in ${secs.toFixed(1)} s, at most ${moreMb.toFixed(0)} MB more than the ${before.toFixed(0)} MB before, slowest answer ${slowestMs.toFixed(0)} ms\n`,
  );

  expect(await exportOf(hub)).toMatchObject({ state: "running", sent: SAMPLES, lost: 0, dropped: 0 });
  const times = new Map<string, number>();
  const seen = new Uint8Array(SAMPLES);
  let backwards = 0;
  for (const line of server.lines) {
    const [tags = "", fields = "", at] = line.split(" ");
    if (Number(at) < (times.get(tags) ?? 0)) backwards++;
    times.set(tags, Number(at));
    for (const [, number] of fields.matchAll(/n\d=(\d+)/g)) seen[Number(number)] = (seen[Number(number)] ?? 0) + 1;
  }
  expect(times.size).toBe(DEVICES);
  expect(backwards).toBe(0);
  expect(seen.filter((times) => times !== 1).length).toBe(0);
  expect(Math.max(...server.requests.map(({ lines }) => lines))).toBeLessThanOrEqual(5000);
  // However many wait: a page of them is in memory.
  expect(moreMb).toBeLessThan(100);
}, 600_000);
