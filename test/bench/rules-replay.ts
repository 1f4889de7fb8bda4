// How long a replay of thirty days takes, over the API of the compiled hub: of a rule about one sensor (four attributes,
// each every five minutes) and of one about a meter that reports every ten seconds. Then of a rule about a meter with ten
// million samples in that time: /health is asked meanwhile, and its slowest answer is the stall (that of the idle hub beside it); the answer must say where
// it ended; RSS is that of the hub at its largest above that before.
import { atMost, type Bench, type BenchContext, holds, type Row } from "./support/bench.ts";
import { watchHealth } from "./support/health-watch.ts";
import { buildHistoryFile } from "./support/history-file.ts";
import { ATTRIBUTES, DEVICES, deviceName } from "./support/house-load.ts";
import { type PreparedHome, type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { rssMiB } from "./support/proc.ts";
import { percentile } from "./support/stats.ts";

const DAYS = 30;
const SPAN_MS = DAYS * 86_400_000;
const KEEP = "\n[history]\nretention_days = 3650\nmax_size_mb = 1000000\n";
const EVERY_FIVE_MINUTES = (SPAN_MS / 300_000) * DEVICES * ATTRIBUTES.length;
const EVERY_TEN_SECONDS = SPAN_MS / 10_000;
const FLOOD = 10_000_000;
const ROUNDS = 7;
const IDLE_MS = 5000;
const CEILING_MS = 2000;
const STALL_CEILING_MS = 50;
const MEMORY_CEILING_MB = 128;

const sensor = deviceName(3);
const RULES = {
  sensor: `name = "Too warm while on"
required_expression = "device_state('${sensor}').mode != 'off'"
[trigger]
type = "numeric_threshold"
device_id = "${sensor}"
attribute = "temperature"
above = 22
for_duration_secs = 120
[[conditions]]
type = "device_state"
device_id = "${sensor}"
attribute = "on"
value = true
[[conditions]]
type = "time_window"
start = "07:00"
end = "23:00"
[[actions]]
type = "set_device_state"
device_id = "fan"
state = { on = true }
[[actions]]
type = "delay"
duration_secs = 600
[[actions]]
type = "set_device_state"
device_id = "fan"
state = { on = false }
`,
  meter: `name = "Much power"
cooldown_secs = 300
[trigger]
type = "numeric_threshold"
device_id = "meter"
attribute = "power_w"
above = 650
[[actions]]
type = "log_message"
message = "much"
`,
};

interface Answer {
  samples: number;
  evaluations: number;
  firings: unknown[];
  until: string;
  to: string;
  unknown: string[];
}

export const rulesReplay: Bench = {
  name: "rules-replay",
  async run(context) {
    return [...(await ordinary(context)), ...(await flooded(context))];
  },
};

async function ordinary({ binary, folder, say }: BenchContext): Promise<Row[]> {
  const home = await livedIn(`${folder}/ordinary`, binary);
  const end = Date.now();
  const samples = { samples: EVERY_FIVE_MINUTES, meterSamples: EVERY_TEN_SECONDS };
  buildHistoryFile({ path: home.historyDb, ...samples, end, spanMs: SPAN_MS });
  await using hub = await home.start(binary);
  const rows: Row[] = [];
  for (const [name, text] of Object.entries(RULES)) {
    const spans: number[] = [];
    let answer: Answer | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      answer = await replay(hub, text, end);
      spans.push(performance.now() - begun);
    }
    if (!answer || answer.until !== answer.to) throw new Error(`the replay of ${name} ended early`);
    say(
      `${name}: ${answer.samples} samples, ${answer.evaluations} evaluations, ${answer.firings.length} firings listed`,
    );
    rows.push(atMost(`${DAYS} days of a ${name}, ms, median`, percentile(spans, 50), undefined, CEILING_MS, "ms"));
    rows.push(atMost(`${DAYS} days of a ${name}, ms, worst`, percentile(spans, 100), undefined, CEILING_MS, "ms"));
  }
  return rows;
}

async function flooded({ binary, folder, say }: BenchContext): Promise<Row[]> {
  const home = await livedIn(`${folder}/flooded`, binary);
  const end = Date.now();
  buildHistoryFile({
    path: home.historyDb,
    samples: DEVICES * ATTRIBUTES.length,
    meterSamples: FLOOD,
    end,
    spanMs: SPAN_MS,
  });
  await using hub = await home.start(binary);
  await Bun.sleep(3000);
  const before = rssMiB(hub.pid);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, rssMiB(hub.pid));
  }, 50);
  const watch = { port: hub.port, everyMs: 5, withinMs: 2000 };
  const idle = watchHealth(watch);
  await Bun.sleep(IDLE_MS);
  idle[Symbol.dispose]();
  using health = watchHealth(watch);
  const begun = performance.now();
  const answer = await replay(hub, RULES.meter, end);
  const ms = performance.now() - begun;
  clearInterval(watching);
  say(`ten million: ${answer.samples} read in ${Math.round(ms)} ms; ${answer.unknown.at(-1)}`);
  return [
    atMost(
      "slowest /health over ten million samples",
      percentile([...health.spans], 100),
      percentile([...idle.spans], 100),
      STALL_CEILING_MS,
      "ms",
    ),
    holds("every /health answered", health.missed === 0 && health.spans.length > 10),
    atMost("MB more at its largest", most - before, undefined, MEMORY_CEILING_MB, "MB"),
    holds(
      "it says what it left out",
      answer.until < answer.to && answer.unknown.some((text) => text.includes("came after")),
    ),
  ];
}

/** A hub that finds a history without its own state database makes no administrator. */
async function livedIn(folder: string, binary: string): Promise<PreparedHome> {
  const home = prepareHome(folder, KEEP);
  const hub = await home.start(binary);
  await hub[Symbol.asyncDispose]();
  return home;
}

async function replay(hub: PreparedHub, text: string, end: number): Promise<Answer> {
  const body = JSON.stringify({
    text,
    from: new Date(end - SPAN_MS).toISOString(),
    to: new Date(end).toISOString(),
  });
  const headers = { authorization: `Bearer ${hub.token}`, "content-type": "application/json" };
  const url = `http://127.0.0.1:${hub.port}/api/v1/rules/replay`;
  const answer = await fetch(url, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`the replay answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
