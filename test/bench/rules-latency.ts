// From a device's state to the command a rule gives: 5,000 rules, 2,000 devices, 1,000 states a second, each of which sets
// off one rule (a trigger, a condition, a command). Of the other 3,000 rules 1,000 look at the same devices and do not match.
//
// Measured at a client that publishes and subscribes, from writing to reading; every state must be answered once. Held against
// the target is the median of the rounds' percentiles. The twin is bare aedes with a function that answers each state by a
// command, in one process. Hub, its history worker and the load want more than two cores: how long the hub's main thread
// waited for one is reported.

import { type AnsweredLoad, openAnsweredLoad } from "./support/answered-load.ts";
import { atMost, type Bench, cost } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { MANY, makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { waitedForCoreMs } from "./support/run-delay.ts";
import { median, percentile } from "./support/stats.ts";

const DEVICES = 2000;
const PER_SECOND = 1000;
const ROUNDS = 9;
const ROUND_MS = 3000;
const CEILING_MS = 5;

export const rulesLatency: Bench = {
  name: "rules-latency",
  async run({ binary, folder, say }) {
    await using stack = new AsyncDisposableStack();
    const home = prepareRuleHome({ folder: `${folder}/home`, answering: DEVICES, others: MANY - DEVICES });
    const hub = stack.use(await home.start(binary));
    await makeDevices(hub, DEVICES);
    const twin = stack.use(startTwin("aedes-answer"));
    const [twinPort] = await twin.printed(/mqtt port=(\d+)/);
    const sides = {
      hub: { pid: hub.pid, load: stack.use(await openAnsweredLoad(hub.mqttPort, DEVICES)) },
      twin: { pid: twin.pid, load: stack.use(await openAnsweredLoad(Number(twinPort), DEVICES)) },
    };
    const spans = { hub: [] as number[][], twin: [] as number[][] };
    for (let round = -1; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? (["hub", "twin"] as const) : (["twin", "hub"] as const)) {
        const measured = await measure(sides[side], side, say);
        if (round >= 0) spans[side].push(measured);
      }
    }
    const ms = (side: "hub" | "twin", percent: number): number =>
      median(spans[side].map((round) => percentile(round, percent)));
    const ofAll = (side: "hub" | "twin"): number => percentile(spans[side].flat(), 99.9);
    return [
      cost("ms from state to command, p50", ms("hub", 50), ms("twin", 50)),
      atMost("ms from state to command, p99", ms("hub", 99), ms("twin", 99), CEILING_MS, "ms"),
      cost("ms from state to command, p99.9 of all", ofAll("hub"), ofAll("twin")),
    ];
  },
};

async function measure(
  { pid, load }: { pid: number; load: AnsweredLoad },
  side: string,
  say: (line: string) => void,
): Promise<number[]> {
  const before = waitedForCoreMs(pid);
  const spans = await load.run({ perSecond: PER_SECOND, ms: ROUND_MS });
  const waited = ((waitedForCoreMs(pid) - before) / (ROUND_MS / 1000)).toFixed(0);
  const [p99, worst] = [percentile(spans, 99), Math.max(...spans)].map((value) => value?.toFixed(1));
  say(`${side}: p99 ${p99} ms, worst ${worst} ms, waited ${waited} ms a second for a core`);
  return spans;
}
