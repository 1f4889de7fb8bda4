// What a person waits for with [standby] acknowledge = "standby": a change of a variable, of a room and of a rule's file, in a house of 200
// devices whose standby is on the same machine. The twin is the same house with "local", in turn with it.
import { createTwoMachines, type Side } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { atMost, type Bench } from "./support/bench.ts";

const DEVICES = 200;
const CHANGES = 300;
const PAUSE_MS = 10;
const SETTLE_MS = 3000;
const LIMIT_MS = 15;

export const acknowledge: Bench = {
  name: "acknowledge",
  async run({ binary, brief, say }) {
    await using both = await startHouse("standby", binary);
    await using local = await startHouse("local", binary);
    await Bun.sleep(SETTLE_MS);
    const [waited, twin]: [number[], number[]] = [[], []];
    for (let count = 0; count < (brief ? CHANGES / 3 : CHANGES); count++) {
      waited.push(await change(both.first, count));
      twin.push(await change(local.first, count));
      await Bun.sleep(PAUSE_MS);
    }
    const shown = (times: number[]) => [0.5, 0.9, 0.99].map((part) => quantile(times, part).toFixed(1)).join(", ");
    say(`ms of a change, p50, p90 and p99: ${shown(waited)} with "standby", ${shown(twin)} with "local"`);
    return [
      atMost(
        'ms of a change p99, acknowledge = "standby" (twin: "local")',
        quantile(waited, 0.99),
        quantile(twin, 0.99),
        LIMIT_MS,
        "ms",
      ),
    ];
  },
};

async function startHouse(how: "local" | "standby", binary: string) {
  const toml = `[standby]\nacknowledge = "${how}"\n`;
  const house = await createTwoMachines({ hub: { toml }, options: ["--manual"] }, binary);
  const devices = await house.first.process.mqtt();
  for (let device = 0; device < DEVICES; device++)
    await devices.publishAsync(`hub/devices/sensor_${device}/state`, '{"temperature":20.5,"humidity":50}', { qos: 1 });
  await house.second.isWhole();
  await until(
    "it answers",
    async () => (await house.first.process.request("PUT", "/variables/n", { body: { value: -1 } })).status === 200,
  );
  return house;
}

/** How many ms it took. */
async function change({ process }: Side, count: number): Promise<number> {
  const begun = performance.now();
  const { status, text } =
    count % 10 === 0
      ? await process.request("POST", "/areas", { body: { name: `Room ${count}` } })
      : count % 10 === 5
        ? await process.request("POST", "/rules", { body: rule(count) })
        : await process.request("PUT", "/variables/n", { body: { value: count } });
  if (status >= 300) throw new Error(`a change is answered with ${status}: ${text}`);
  return performance.now() - begun;
}

const rule = (count: number) => ({
  name: `Rule ${count}`,
  trigger: { type: "periodic", every_secs: 3600 },
  actions: [{ type: "log_message", message: "an hour" }],
});

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
