// The standby's view of the lease: when it may take over, and what it knows while the engine is gone.
import { expect, test } from "bun:test";
import { watchLease } from "../../../../src/copies/standby/lease/watch.ts";
import { createWitness } from "../../../../src/copies/standby/lease/witness.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { machineNamed } from "./engine-contract.ts";
import { createMemoryServer, type Fate } from "./memory-engine.ts";

const TTL_MS = 8000;
const [ADA, BEN] = [machineNamed("ada"), machineNamed("ben")];

async function openPlace({ standby = "ben" } = {}) {
  const clock = createVirtualClock();
  const server = createMemoryServer(clock);
  const ada = server.connect();
  await ada.take(ADA, TTL_MS);
  await ada.renew({ machine: ADA, epoch: 1, standby, ttlMs: TTL_MS });
  const link: { fate: Fate } = { fate: { ms: 10 } };
  let readings = 0;
  const watch = watchLease({
    ...{ engine: server.connect(() => link.fate), machine: BEN, ttlMs: TTL_MS, knownEpoch: 1, clock, log: silentLog },
    onReading: () => {
      readings++;
    },
  });
  const renew = () => ada.renew({ machine: ADA, epoch: 1, standby, ttlMs: TTL_MS });
  return { clock, ada, renew, link, watch, empty: server.empty, readings: () => readings };
}

test("it asks each second, and can take what has ended, not before", async () => {
  const { clock, renew, watch, readings } = await openPlace();
  await clock.advance(5000);
  expect([readings() >= 4, watch.canTake, watch.row?.holder]).toEqual([true, false, ADA]);
  const early = watch.take();
  await clock.advance(50);
  expect(await early).toMatchObject({ ok: false });
  await renew();
  await clock.advance(7000);
  expect(watch.canTake).toBe(false);
  await clock.advance(2500);
  expect([watch.canTake, watch.row?.leftMs]).toEqual([true, 0]);
  const taking = watch.take();
  await clock.advance(50);
  expect(await taking).toMatchObject({ ok: true, epoch: 2 });
  await watch[Symbol.asyncDispose]();
  expect(clock.pending()).toEqual([]);
});

test("a machine that the lease does not name cannot take it", async () => {
  const { clock, watch } = await openPlace({ standby: "cat" });
  await clock.advance(60_000);
  expect(watch.canTake).toBe(false);
});

test("an engine that is gone: it says since when and why, takes nothing, and goes on asking", async () => {
  const { clock, link, watch, renew } = await openPlace();
  await clock.advance(2000);
  link.fate = "lost";
  await clock.advance(60_000);
  expect([watch.canTake, watch.trouble]).toEqual([false, "memory does not answer"]);
  expect(watch.goneMs).toBeGreaterThan(50_000);
  const taking = watch.take();
  await clock.advance(1000);
  expect(await taking).toBeUndefined();
  await renew();
  link.fate = { ms: 10 };
  await clock.advance(3000);
  expect([watch.canTake, watch.trouble, watch.goneMs, watch.row?.leftMs === 0]).toEqual([false, undefined, 0, false]);
});

test("an engine that lost the row: the standby that it named takes it after a whole lease, in an epoch that nobody had", async () => {
  const { clock, watch, empty } = await openPlace();
  await clock.advance(2000);
  empty();
  let waitedMs = 0;
  for (let isTaken = false; !isTaken; ) {
    await clock.advance(1000);
    waitedMs += 1000;
    const taking = watch.canTake ? watch.take() : Promise.resolve(undefined);
    await clock.advance(100);
    const taken = await taking;
    isTaken = taken?.ok === true;
    if (isTaken) expect(taken).toMatchObject({ epoch: 2 });
    else expect(watch.trouble ?? "has lost the house's lease").toContain("has lost the house's lease");
    expect(waitedMs).toBeLessThan(20_000);
  }
  expect(waitedMs).toBeGreaterThanOrEqual(TTL_MS);
});

test("an engine whose clock steps ahead does not end what was seen to go on", () => {
  const clock = createVirtualClock();
  const witness = createWitness(clock, "postgres://engine");
  expect(witness.leftMs("first", 8000, 8000)).toBe(8000);
  expect(witness.leftMs("first", 0, 0)).toBe(8000);
  expect(witness.leftMs("second", 0, 0)).toBe(0);
});
