// What an event costs where it sets off one rule: with 50 rules, and with 5,000 of which the same 50 are set off. 2,000
// devices in both homes; 50 of them talk, 1,000 states a second. Counted is the CPU time of the hub for one state, from its
// arrival to the command, by /proc/PID/stat, less what the idle hub takes, which is shown as well (in its
// first minute, in which Bun collects garbage every second). The home with 50 rules stands where the other benchmarks have their twin.

import { type AnsweredLoad, openAnsweredLoad } from "./support/answered-load.ts";
import { type Bench, cost, type Row } from "./support/bench.ts";
import { cpuMs } from "./support/proc.ts";
import { FEW, MANY, makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { median } from "./support/stats.ts";

const DEVICES = 2000;
const PER_SECOND = 1000;
const ROUNDS = 4;
const ROUND_MS = 6000;
const IDLE_MS = 6000;
const MAX_TIMES = 1.5;
const SIDES = ["hub", "twin"] as const;

interface Side {
  pid: number;
  load: AnsweredLoad;
}

export const rulesCost: Bench = {
  name: "rules-cost",
  async run({ binary, folder, say }) {
    await using stack = new AsyncDisposableStack();
    const open = async (rules: number): Promise<Side> => {
      const home = prepareRuleHome({ folder: `${folder}/${rules}`, answering: FEW, others: rules - FEW });
      const hub = stack.use(await home.start(binary));
      await makeDevices(hub, DEVICES);
      return { pid: hub.pid, load: stack.use(await openAnsweredLoad(hub.mqttPort, FEW)) };
    };
    const sides = { hub: await open(MANY), twin: await open(FEW) };
    const busy = { hub: [] as number[], twin: [] as number[] };
    const idle = { hub: [] as number[], twin: [] as number[] };
    for (let round = -1; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        const { pid, load } = sides[side];
        const rest = await cpuShare(pid, () => Bun.sleep(IDLE_MS));
        const work = await cpuShare(pid, () => load.run({ perSecond: PER_SECOND, ms: ROUND_MS }));
        if (round < 0) continue;
        idle[side].push(rest);
        busy[side].push(((work - rest) * 1000) / PER_SECOND);
        say(`${side === "hub" ? MANY : FEW} rules: idle ${rest.toFixed(1)} ms/s, busy ${work.toFixed(0)} ms/s`);
      }
    }
    const of = (measured: Record<"hub" | "twin", number[]>) => [median(measured.hub), median(measured.twin)] as const;
    return [timesRow(...of(busy)), cost("CPU ms a second, idle", ...of(idle))];
  },
};

/** CPU milliseconds in a second of `work`. */
async function cpuShare(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [begun, before] = [performance.now(), cpuMs(pid)];
  await work();
  return ((cpuMs(pid) - before) / (performance.now() - begun)) * 1000;
}

function timesRow(many: number, few: number): Row {
  const target = `≤ ${MAX_TIMES} times the cost with ${FEW} rules`;
  return {
    ...cost(`CPU µs for a state and its command, ${MANY} rules (twin: ${FEW})`, many, few),
    target,
    met: many <= few * MAX_TIMES,
  };
}
