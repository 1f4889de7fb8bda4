// The holder of the lease: when a machine may command, and when it knows that it may not.
import { expect, test } from "bun:test";
import type { LeaseEngine, LeaseHolder, TakenLease } from "../../../../src/copies/standby/lease/lease.ts";
import { createLeaseHolder } from "../../../../src/copies/standby/lease/lease-holder.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { machineNamed } from "./engine-contract.ts";
import { createMemoryServer, type Fate } from "./memory-engine.ts";
import { createStoppableClock } from "./stoppable-clock.ts";

const TTL_MS = 8000;
const [ADA, BEN] = [machineNamed("ada"), machineNamed("ben")];

interface Place {
  clock: VirtualClock;
  /** Of Ada's link to the engine. */
  link: { fate: Fate };
  /** Ben's. */
  other: LeaseEngine;
  empty(): void;
  leaseHolder: LeaseHolder;
  /** Stops Ada's process. */
  stop(): void;
  goOn(): void;
  /** What was lost and why, where it was. */
  lost(): string | undefined;
}

async function openPlace({ whenAlone = "stop" as "stop" | "continue", standby = "ben" as string | null } = {}) {
  const clock = createVirtualClock();
  const server = createMemoryServer(clock);
  const own = createStoppableClock(clock);
  const link: { fate: Fate } = { fate: { ms: 0 } };
  const engine = server.connect(() => link.fate, own);
  const taken = (await engine.take(ADA, TTL_MS)) as TakenLease;
  const leaseHolder = createLeaseHolder({
    engine,
    machine: ADA,
    taken,
    ttlMs: TTL_MS,
    clock: own,
    log: silentLog,
    whenAlone,
  });
  let lost: string | undefined;
  void leaseHolder.lost.then((reason) => {
    lost = reason;
  });
  if (standby !== null) await leaseHolder.nameStandby(standby);
  const { stop, goOn } = own;
  return {
    clock,
    link,
    other: server.connect(),
    empty: server.empty,
    leaseHolder,
    stop,
    goOn,
    lost: () => lost,
  } as Place;
}

test("it is renewed, whatever the wall clock does", async () => {
  const { clock, leaseHolder, other, lost } = await openPlace();
  for (const step of [0, 3_600_000, -7_200_000]) {
    clock.step(step);
    await clock.advance(20_000);
    expect([leaseHolder.isHeld, leaseHolder.trouble, leaseHolder.standby, lost()]).toEqual([
      true,
      undefined,
      "ben",
      undefined,
    ]);
    expect(await other.take(BEN, TTL_MS)).toMatchObject({ ok: false });
  }
});

test("without engine and standby it ends before another may take it, and says why", async () => {
  const { clock, link, leaseHolder, other, lost } = await openPlace();
  await clock.advance(10_000);
  link.fate = "lost";
  let heldMs = 0;
  while (leaseHolder.isHeld) {
    await clock.advance(50);
    heldMs += 50;
    expect(heldMs).toBeLessThan(TTL_MS);
  }
  expect(heldMs).toBeGreaterThan(TTL_MS / 2);
  expect(await other.take(BEN, TTL_MS)).toMatchObject({ ok: false });
  await clock.advance(2000);
  expect(lost()).toContain("memory does not answer");
  expect((await other.take(BEN, TTL_MS)).ok).toBe(true);
  expect(leaseHolder.isHeld).toBe(false);
});

test("without the engine it goes on while the standby promises, and no longer", async () => {
  const { clock, link, leaseHolder, lost } = await openPlace();
  link.fate = "lost";
  for (let second = 0; second < 60; second++) {
    leaseHolder.promised("ben", clock.mono() + 3000);
    await clock.advance(1000);
    expect(leaseHolder.isHeld).toBe(true);
  }
  expect(leaseHolder.trouble).toBe("memory does not answer");
  await clock.advance(3000);
  expect(leaseHolder.isHeld).toBe(false);
  await clock.advance(1000);
  expect(lost()).toContain("could not be renewed");
});

test("the promise of a machine that the lease does not name counts for nothing", async () => {
  const { clock, link, leaseHolder } = await openPlace();
  link.fate = "lost";
  leaseHolder.promised("cat", clock.mono() + 3_600_000);
  await clock.advance(TTL_MS);
  expect(leaseHolder.isHeld).toBe(false);
});

test("a name that the engine may have or not leaves nobody's promise to rely on", async () => {
  const { clock, link, leaseHolder } = await openPlace();
  link.fate = { lateMs: 100 };
  const named = leaseHolder.nameStandby("cat");
  named.catch(() => {});
  await clock.advance(1000);
  await expect(named).rejects.toThrow("memory does not answer");
  expect(leaseHolder.standby).toBeUndefined();
  for (const id of ["ben", "cat"]) leaseHolder.promised(id, clock.mono() + 3_600_000);
  await clock.advance(TTL_MS);
  expect(leaseHolder.isHeld).toBe(false);
});

test("a name that the engine did not accept is not tried again", async () => {
  const { clock, link, leaseHolder, other } = await openPlace();
  link.fate = "lost";
  leaseHolder.nameStandby("cat").catch(() => {});
  await clock.advance(500);
  link.fate = { ms: 10 };
  await clock.advance(5000);
  expect([leaseHolder.standby, (await other.read())?.standby]).toEqual(["ben", "ben"]);
});

test("with no standby nobody may take it, so an engine that is gone ends nothing", async () => {
  const { clock, link, leaseHolder, lost } = await openPlace({ standby: null });
  link.fate = "lost";
  await clock.advance(3_600_000);
  expect([leaseHolder.isHeld, lost()]).toEqual([true, undefined]);
  link.fate = { ms: 10 };
  await clock.advance(5000);
  expect([leaseHolder.isHeld, leaseHolder.trouble]).toEqual([true, undefined]);
});

test("a process that slept longer than the lease does not hold it before it has asked", async () => {
  const { clock, leaseHolder, stop, goOn, lost } = await openPlace();
  stop();
  await clock.advance(TTL_MS);
  expect(leaseHolder.isHeld).toBe(false);
  goOn();
  expect(leaseHolder.isHeld).toBe(false);
  await clock.advance(100);
  expect([leaseHolder.isHeld, lost()]).toEqual([true, undefined]);
});

test("a process that slept while another took it learns so, and never holds it again", async () => {
  const { clock, leaseHolder, stop, goOn, other, lost } = await openPlace();
  stop();
  await clock.advance(TTL_MS);
  await other.take(BEN, TTL_MS);
  goOn();
  await clock.advance(100);
  expect([leaseHolder.isHeld, lost()]).toEqual([false, "another machine has the lease"]);
  await clock.advance(60_000);
  expect(leaseHolder.isHeld).toBe(false);
  await expect(leaseHolder.nameStandby("cat")).rejects.toThrow("no longer has the lease");
});

test("continue: it goes on where the engine cannot be asked, until that says that another has it", async () => {
  const { clock, link, leaseHolder, other, lost } = await openPlace({ whenAlone: "continue" });
  link.fate = "lost";
  for (let second = 0; second < 120; second++) {
    await clock.advance(1000);
    expect(leaseHolder.isHeld).toBe(true);
  }
  await other.take(BEN, TTL_MS);
  link.fate = { ms: 10 };
  await clock.advance(2000);
  expect([leaseHolder.isHeld, lost()]).toEqual([false, "another machine has the lease"]);
});

test("continue: begun without the engine, it is held from the first moment on", async () => {
  const clock = createVirtualClock();
  const engine = createMemoryServer(clock).connect(() => "lost", clock);
  const taken: TakenLease = { ok: true, epoch: 7 };
  const shared = { engine, machine: ADA, taken, ttlMs: TTL_MS, clock, log: silentLog };
  const stopping = createLeaseHolder({ ...shared, whenAlone: "stop" });
  const going = createLeaseHolder({ ...shared, whenAlone: "continue" });
  expect([stopping.isHeld, going.isHeld]).toEqual([false, true]);
  for (let step = 0; step < 200; step++) {
    await clock.advance(100);
    expect([stopping.isHeld, going.isHeld]).toEqual([false, true]);
  }
});

test("continue: a process that slept asks first", async () => {
  const { clock, link, leaseHolder, stop, goOn } = await openPlace({ whenAlone: "continue" });
  stop();
  await clock.advance(60_000);
  link.fate = "lost";
  goOn();
  expect(leaseHolder.isHeld).toBe(false);
  await clock.advance(1000);
  expect(leaseHolder.isHeld).toBe(true);
});

test("given up, it is not held from that moment on, and the standby has it at once", async () => {
  const { clock, link, leaseHolder, other, lost } = await openPlace();
  link.fate = { ms: 100 };
  const given = leaseHolder.giveUp();
  expect(leaseHolder.isHeld).toBe(false);
  await clock.advance(200);
  await given;
  expect((await other.take(BEN, TTL_MS)).ok).toBe(true);
  await clock.advance(60_000);
  expect([lost(), clock.pending()]).toEqual([undefined, []]);
});

test("an engine that comes back empty is reported again", async () => {
  const { clock, leaseHolder, other, empty, lost } = await openPlace();
  empty();
  await clock.advance(3000);
  expect(await other.read()).toMatchObject({ holder: ADA, epoch: 1, standby: "ben" });
  expect([leaseHolder.isHeld, lost()]).toEqual([true, undefined]);
});
