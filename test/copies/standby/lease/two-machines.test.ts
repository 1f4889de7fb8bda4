// Two machines, one lease: whatever happens to the engine, to the links and to the machines, they never hold it both, and when all is
// well again one of them does.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { LeaseHolder, LeaseRow, Machine } from "../../../../src/copies/standby/lease/lease.ts";
import { createLeaseHolder } from "../../../../src/copies/standby/lease/lease-holder.ts";
import { type LeaseWatch, watchLease } from "../../../../src/copies/standby/lease/watch.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { machineNamed } from "./engine-contract.ts";
import { createMemoryServer, type Fate, type MemoryServer } from "./memory-engine.ts";
import { createStoppableClock } from "./stoppable-clock.ts";
import "../../../support/property-seed.ts";
import { examples } from "../../../support/examples.ts";

const TTL_MS = 8000;
const PROMISE_MS = 5000;
const SYNC_MS = 2000;

interface House {
  clock: VirtualClock;
  server: MemoryServer;
  /** From 0 to 1, the same again for the same seed. */
  chance(): number;
  areLinked: boolean;
}

/** A machine's part of a hub, as far as the lease goes: it follows, takes over, and steps down. */
function startMachine(house: House, machine: Machine) {
  const clock = createStoppableClock(house.clock);
  let reaches = true;
  const engine = house.server.connect(() => fate(house, reaches), clock);
  let leaseHolder: LeaseHolder | undefined;
  let watch: LeaseWatch | undefined;
  let knownEpoch = 0;
  let promisedUntil = Number.NEGATIVE_INFINITY;

  function follow(last?: LeaseRow): void {
    leaseHolder = undefined;
    watch = watchLease({
      engine,
      machine,
      ttlMs: TTL_MS,
      knownEpoch,
      last,
      clock,
      log: silentLog,
      onReading: () => void look(),
    });
  }

  async function look(): Promise<void> {
    const isFirst = watch?.row === undefined && knownEpoch === 0;
    if (leaseHolder || clock.mono() < promisedUntil || !(watch?.canTake || isFirst)) return;
    const taken = await watch?.take();
    if (!taken?.ok || leaseHolder) return;
    await watch?.[Symbol.asyncDispose]();
    knownEpoch = taken.epoch;
    leaseHolder = createLeaseHolder({
      engine,
      machine,
      taken,
      ttlMs: TTL_MS,
      clock,
      log: silentLog,
      whenAlone: "stop",
    });
    const own: LeaseRow = { holder: machine, epoch: taken.epoch, standby: undefined, leftMs: 0 };
    void leaseHolder.lost.then((reason) => follow(reason.includes("another") ? undefined : own));
  }

  follow();
  return {
    machine,
    clock,
    holds: () => leaseHolder?.isHeld ?? false,
    leaseHolder: () => leaseHolder,
    setReach: (reach: boolean) => {
      reaches = reach;
    },
    knows(epoch: number) {
      knownEpoch = Math.max(knownEpoch, epoch);
    },
    promise() {
      promisedUntil = clock.mono() + PROMISE_MS;
    },
  };
}
type RunningMachine = ReturnType<typeof startMachine>;

function fate({ chance }: House, reaches: boolean): Fate {
  const dice = chance();
  if (reaches && dice < 0.85) return { ms: 1 + chance() * 150 };
  return chance() < 0.5 ? "lost" : { lateMs: chance() * 12_000 };
}

/** The standby asks the hub for what is new, and promises; the answer takes its time, and the promise comes with the next request. */
function sync(house: House, hub: RunningMachine, standby: RunningMachine): void {
  const sentAt = hub.clock.mono();
  const leaseHolder = hub.leaseHolder();
  if (!leaseHolder?.isHeld || standby.leaseHolder()) return;
  standby.clock.after("answer", house.chance() * 300, () => {
    if (!house.areLinked || standby.leaseHolder()) return;
    standby.promise();
    standby.knows(leaseHolder.epoch);
    hub.clock.after("request", house.chance() * 300, () => {
      if (!house.areLinked) return;
      leaseHolder.promised(standby.machine.id, sentAt + PROMISE_MS);
      if (leaseHolder.standby !== standby.machine.id) leaseHolder.nameStandby(standby.machine.id).catch(() => {});
    });
  });
}

type Happening =
  | { kind: "reach" | "stop"; who: 0 | 1; forMs: number }
  | { kind: "link" | "engine" | "empty" | "nothing"; forMs: number };

const forMs = fc.integer({ min: 0, max: 30_000 });
const who = fc.constantFrom<0 | 1>(0, 1);
const happening = fc.oneof(
  fc.record({ kind: fc.constantFrom<"reach" | "stop">("reach", "stop"), who, forMs }),
  fc.record({
    kind: fc.constantFrom<"link" | "engine" | "empty" | "nothing">("link", "engine", "empty", "nothing"),
    forMs,
  }),
);

async function live(happenings: Happening[], seed: number): Promise<void> {
  const clock = createVirtualClock();
  let state = seed;
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const house: House = { clock, server: createMemoryServer(clock), chance, areLinked: true };
  const machines = ["ada", "ben"].map((id) => startMachine(house, machineNamed(id))) as [
    RunningMachine,
    RunningMachine,
  ];
  const [ada, ben] = machines;
  let held = 0;
  clock.every("check", 37, () => {
    const holding = machines.filter((one) => one.holds()).length;
    held = holding;
    if (holding > 1) throw new Error(`both hold it after ${clock.mono()} ms`);
  });
  clock.every("sync", SYNC_MS, () => {
    if (house.areLinked) for (const [hub, standby] of [machines, [ben, ada] as const]) sync(house, hub, standby);
  });
  await clock.advance(20_000);
  for (const one of happenings) {
    begin(house, machines, one, true);
    await clock.advance(one.forMs);
    // Half of the time one thing is over before the next begins.
    if (chance() < 0.5) for (const past of happenings) begin(house, machines, past, false);
  }
  for (const past of happenings) begin(house, machines, past, false);
  await clock.advance(60_000);
  // An engine that lost its row before any machine had read it leaves it to a person.
  if (!happenings.some(({ kind }) => kind === "empty")) expect(held).toBe(1);
}

function begin(house: House, machines: RunningMachine[], { kind, ...rest }: Happening, isOn: boolean): void {
  const machine = "who" in rest ? machines[rest.who] : undefined;
  if (kind === "reach") machine?.setReach(!isOn);
  else if (kind === "stop") isOn ? machine?.clock.stop() : machine?.clock.goOn();
  else if (kind === "link") house.areLinked = !isOn;
  else if (kind === "engine") for (const one of machines) one.setReach(!isOn);
  // An engine that loses its row while the hub that has no standby yet is cut off from it: nothing is left that could know.
  else if (
    kind === "empty" &&
    isOn &&
    !machines.some((one) => one.leaseHolder() && one.leaseHolder()?.standby === undefined)
  )
    house.server.empty();
}

test("never both, and one when all is well", async () => {
  const property = fc.asyncProperty(fc.array(happening, { maxLength: 8 }), fc.nat(), live);
  await fc.assert(property, { numRuns: examples(60), interruptAfterTimeLimit: 15_000 });
});
