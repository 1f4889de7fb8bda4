// What a rule takes of memory: RSS of homes with 50 and with 5,000 rules of all kinds some seconds after the start, and the
// time a start takes with them. The home with 50 rules stands where the other benchmarks have their twin.
import { atMost, type Bench, cost } from "./support/bench.ts";
import { rssMiB } from "./support/proc.ts";
import { FEW, MANY, prepareRuleHome } from "./support/rule-home.ts";
import { median } from "./support/stats.ts";

const ROUNDS = 3;
const SETTLE_MS = 5000;
const LIMIT_MS = 800;

interface Measured {
  rss: number[];
  startMs: number[];
}

export const rulesMemory: Bench = {
  name: "rules-memory",
  async run({ binary, folder }) {
    const homes = {
      hub: prepareRuleHome({ folder: `${folder}/many`, answering: 0, others: MANY }),
      twin: prepareRuleHome({ folder: `${folder}/few`, answering: 0, others: FEW }),
    };
    const measured: Record<"hub" | "twin", Measured> = {
      hub: { rss: [], startMs: [] },
      twin: { rss: [], startMs: [] },
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? (["hub", "twin"] as const) : (["twin", "hub"] as const)) {
        const begun = performance.now();
        await using hub = await homes[side].start(binary);
        const startMs = performance.now() - begun;
        await Bun.sleep(SETTLE_MS);
        const { rules } = await hub.get<{ rules: number }>("/system/status");
        if (rules !== (side === "hub" ? MANY : FEW)) throw new Error(`${rules} rules are there`);
        measured[side].rss.push(rssMiB(hub.pid));
        measured[side].startMs.push(startMs);
      }
    }
    const of = (key: keyof Measured) => [median(measured.hub[key]), median(measured.twin[key])] as const;
    const [many, few] = of("rss");
    const first = ({ startMs: [ms = Number.NaN] }: Measured): number => ms;
    const later = ({ startMs }: Measured): number => median(startMs.slice(1));
    const perRule = ((many - few) * 1024) / (MANY - FEW);
    return [
      cost(`RSS MiB, ${MANY} rules (twin: ${FEW})`, many, few),
      { ...cost("KiB a rule", perRule, 0), twin: undefined, ratio: undefined },
      cost("ms from start to logged in", ...of("startMs")),
      atMost(`ms to logged in, ${MANY} rules, first start`, first(measured.hub), first(measured.twin), LIMIT_MS, "ms"),
      atMost(`ms to logged in, ${MANY} rules, later starts`, later(measured.hub), later(measured.twin), LIMIT_MS, "ms"),
    ];
  },
};
