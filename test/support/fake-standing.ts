// A standing in a house with two machines, whose lease the test holds.
import type { LeaseHolder } from "../../src/copies/standby/lease/lease.ts";
import type { Standing } from "../../src/copies/standby/standing.ts";
import type { Clock } from "../../src/kit/time/clock.ts";

export interface TestLeaseHolder extends LeaseHolder {
  trouble: string | undefined;
  /** Until when it is held, by the clock's monotonic milliseconds. */
  until: number;
  /** What the engine answers to a renewal. */
  engine: () => Promise<void>;
  lose(reason: string): void;
}

export interface TestStanding extends Standing {
  /** The holder of its lease, where there is one. */
  readonly lease: TestLeaseHolder;
  /** Why it was ordered to step down. */
  readonly steps: string[];
}

/** `leased`: an engine decides; without, a person does. */
export function createTestStanding(
  clock: Pick<Clock, "mono">,
  { id = "machine-a", epoch = 7, leased = true, tookOver = undefined as Standing["tookOver"] } = {},
): TestStanding {
  const lost = Promise.withResolvers<string>();
  const leaseHolder: TestLeaseHolder = {
    epoch,
    until: Number.POSITIVE_INFINITY,
    get isHeld() {
      return clock.mono() < leaseHolder.until;
    },
    lost: lost.promise,
    trouble: undefined,
    engine: async () => {},
    nameStandby: () => leaseHolder.engine(),
    standby: "machine-b",
    promised() {},
    async giveUp() {},
    lose(reason) {
      leaseHolder.until = 0;
      lost.resolve(reason);
    },
    async [Symbol.asyncDispose]() {},
  };
  const steps: string[] = [];
  return {
    machine: { id, name: "kitchen", address: "http://192.168.1.20:8080" },
    leaseHolder: leased ? leaseHolder : undefined,
    lease: leaseHolder,
    epoch,
    lost: lost.promise,
    tookOver,
    handOver() {},
    stepDown: (reason) => void steps.push(reason),
    steps,
  };
}
