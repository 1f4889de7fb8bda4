// Interleaved rounds: hub, twin, twin, hub, … so that a noisy minute hits both; medians over the rounds.
import { cpuMs } from "./proc.ts";
import type { Pump } from "./pump.ts";
import { median } from "./stats.ts";

export interface Side {
  pid: number;
  pump: Pump;
  /** What stands only during its own rounds, and is not measured itself. */
  prepare?: () => Promise<AsyncDisposable>;
}

export interface Measured {
  perSecond: number;
  /** CPU time of the server process for one delivery, µs. */
  cpuMicros: number;
  /** Share of one core the server used, %. */
  cpuPercent: number;
}

export interface RoundOptions {
  rounds: number;
  ms: number;
  /** Rounds before that do not count: code gets compiled, buffers grow. */
  warmUp?: number;
}

export async function interleave<K extends string>(
  sides: Record<K, Side>,
  { rounds, ms, warmUp = 1 }: RoundOptions,
): Promise<Record<K, Measured>> {
  const names = Object.keys(sides) as K[];
  const all = new Map<K, Measured[]>(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measured = await measure(sides[name], ms);
      if (round >= 0) all.get(name)?.push(measured);
    }
  }
  return Object.fromEntries(names.map((name) => [name, medians(all.get(name) ?? [])])) as Record<K, Measured>;
}

async function measure({ pid, pump, prepare }: Side, ms: number): Promise<Measured> {
  await using _prepared = await prepare?.();
  const before = cpuMs(pid);
  const { deliveries, ms: took } = await pump.run(ms);
  const cpu = cpuMs(pid) - before;
  return {
    perSecond: (deliveries / took) * 1000,
    cpuMicros: (cpu * 1000) / deliveries,
    cpuPercent: (cpu / took) * 100,
  };
}

function medians(measured: readonly Measured[]): Measured {
  const of = (key: keyof Measured): number => median(measured.map((one) => one[key]));
  return { perSecond: of("perSecond"), cpuMicros: of("cpuMicros"), cpuPercent: of("cpuPercent") };
}
