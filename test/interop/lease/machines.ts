// Connections to real engines as a hub opens them, and the contract's cases on them.
import { randomBytes } from "node:crypto";
import { Value } from "@sinclair/typebox/value";
import { StandbySection } from "../../../src/copies/standby/config.ts";
import { openLeaseEngine } from "../../../src/copies/standby/lease/engines.ts";
import type { LeaseEngine } from "../../../src/copies/standby/lease/lease.ts";
import { openNatsLease } from "../../../src/copies/standby/lease/nats.ts";
import { openPostgresLease } from "../../../src/copies/standby/lease/postgres.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { type Clock, systemClock } from "../../../src/kit/time/clock.ts";
import { type Check, type ContractCase, machineNamed } from "../../copies/standby/lease/engine-contract.ts";
import { until } from "../../support/wait.ts";

type Given = Partial<StandbySection> & { lease: string };

/** Of every lease here; what has to come before its end comes in far less. */
const TTL_MS = 6000;
const TIMEOUT_MS = 20_000;
/** Of `openOn`: no question takes longer. */
export const LEASE_MS = 4000;

/** With the times of a hub: a busy machine may be `unavailable`. */
export function openOn(given: Given): Promise<LeaseEngine> {
  const config = configOf(given);
  return openLeaseEngine(config, {
    resolvePath: (path) => path,
    clock: systemClock,
    random: randomBytes,
    log: silentLog,
  });
}

/** For what counts its questions, and must not ask again. */
export function openPatiently(given: Given, wallOffsetMs = 0): LeaseEngine {
  const clock: Clock = { ...systemClock, now: () => Date.now() + wallOffsetMs };
  const { lease } = given;
  const options = { lease, config: configOf(given), ca: undefined, withinMs: TIMEOUT_MS, clock, random: randomBytes };
  return lease.startsWith("postgres") ? openPostgresLease(options) : openNatsLease(options);
}

function configOf(given: Given): StandbySection {
  return Value.Default(StandbySection, { lease_secs: LEASE_MS / 1000, ...given }) as StandbySection;
}

/** The first answer that comes in time; questions that had none are asked again. */
export async function answered<T>(what: string, ask: () => Promise<T>): Promise<T> {
  const [answer] = await until(what, () =>
    ask().then(
      (answer): [T] => [answer],
      () => undefined,
    ),
  );
  return answer;
}

const TRIES = 8;

/** What a machine is answered that takes a lease there: `taken`, or code and message of the error; asked again where nothing answers. */
export async function asked(given: Given): Promise<string> {
  await using engine = await openOn(given);
  let answer = "";
  for (let tried = 0; tried < TRIES; tried++) {
    answer = await engine.take(machineNamed("ada"), 1000).then(
      () => "taken",
      (error) => `${error.code}: ${error.message}`,
    );
    if (!answer.includes("does not answer")) break;
  }
  return answer;
}

export interface RealServer {
  open(house: string, wallOffsetMs: number | undefined): LeaseEngine;
  empty(house: string): Promise<unknown>;
}

/** All at once: they wait for their leases to end most of the time. */
export async function runContract(cases: ContractCase[], check: Check, { open, empty }: RealServer): Promise<void> {
  const run = async ({ name, run }: ContractCase, n: number): Promise<void> => {
    await using stack = new AsyncDisposableStack();
    const house = `house-${n}`;
    await run(
      {
        ttlMs: TTL_MS,
        open: async (wallOffsetMs) => stack.use(open(house, wallOffsetMs)),
        empty: async () => void (await empty(house)),
        pass: (ms) => Bun.sleep(ms),
      },
      (what, found, expected) => check(`${name}: ${what}`, found, expected),
    );
  };
  await Promise.all(cases.map(run));
}

export async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  return [await work, performance.now() - begun];
}
