// CPU time of the idle hub, all threads, as a share of one core: a home without rules, and one with 5,000. From more than a minute after the start,
// when Bun no longer collects garbage each second, for half a minute. The twin is a bare `Bun.serve`.
import { atMost, type Bench } from "./support/bench.ts";
import { startChild } from "./support/child.ts";
import { compileBare } from "./support/compile-bare.ts";
import { countCpuNanos } from "./support/proc.ts";
import { MANY, prepareRuleHome } from "./support/rule-home.ts";

const SETTLE_MS = 75_000;
const WINDOW_MS = 30_000;
const LIMIT_PERCENT = { 0: 0.1, [MANY]: 0.5 };

export const idleCpu: Bench = {
  name: "idle-cpu",
  async run({ binary, folder }) {
    await using stack = new AsyncDisposableStack();
    const bare = stack.use(startChild([await compileBare(folder)]));
    await bare.printed(/http port=(\d+)/);
    const hubs = [];
    for (const [rules, limit] of Object.entries(LIMIT_PERCENT)) {
      const home = prepareRuleHome({ folder: `${folder}/${rules}`, answering: 0, others: Number(rules) });
      hubs.push({ rules, limit, pid: stack.use(await home.start(binary)).pid });
    }
    await Bun.sleep(SETTLE_MS);
    const used = (pid: number): (() => number) => {
      const nanos = countCpuNanos(pid);
      return () => (nanos() / 1e6 / WINDOW_MS) * 100;
    };
    const twin = used(bare.pid);
    const measured = hubs.map((hub) => ({ ...hub, percent: used(hub.pid) }));
    await Bun.sleep(WINDOW_MS);
    return measured.map(({ rules, limit, percent }) =>
      atMost(`% of a core, idle, ${rules} rules`, percent(), twin(), limit, "%"),
    );
  },
};
