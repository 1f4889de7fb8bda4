// What the hub makes of its standby's requests: promises, the lease's word, and whether it may hand over.
import { expect, test } from "bun:test";
import type { LeaseHolder } from "../../../../src/copies/standby/lease/lease.ts";
import {
  decodeRecords,
  encodeRecord,
  type StandbyMachine,
  type SyncRequest,
} from "../../../../src/copies/standby/protocol.ts";
import { createSecondMachine } from "../../../../src/copies/standby/source/second-machine.ts";
import type { Standing } from "../../../../src/copies/standby/standing.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import type { Meta } from "../../../../src/server/db/meta.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const MACHINE = { id: "standby-1", name: "attic", address: "http://attic:8080" };
const OWN = { id: "hub-12345", name: "cellar", address: "http://cellar:8080" };

function createMeta(): Meta {
  const values = new Map<string, string>();
  return { get: (key) => values.get(key), set: (key, value) => void values.set(key, value) };
}

function open({ meta = createMeta(), own = OWN.id, isLast = true } = {}) {
  const clock = createVirtualClock();
  const promised: [string, number][] = [];
  const noted: unknown[] = [];
  const did = { handedOver: 0, engineIsGone: false, sendingMs: 0 };
  let standby: string | undefined;
  const leaseHolder: LeaseHolder = {
    epoch: 4,
    isHeld: true,
    lost: new Promise(() => {}),
    trouble: undefined,
    async nameStandby(id) {
      if (did.engineIsGone) throw new HubError("unavailable", "no answer");
      standby = id;
    },
    get standby() {
      return standby;
    },
    promised: (by, until) => void promised.push([by, until]),
    giveUp: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const standing: Standing = {
    machine: OWN,
    leaseHolder,
    epoch: 4,
    lost: leaseHolder.lost,
    tookOver: undefined,
    handOver: () => void did.handedOver++,
    stepDown() {},
  };
  const second = createSecondMachine({
    ...{ meta, clock, log: silentLog, standing: () => standing, acknowledge: "local" },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    own: () => own,
    epoch: () => 4,
    noteOther: (other) => void noted.push(other),
    handback: () => ({ take: async () => ({ wanted: null }) }),
    forgetWanted() {},
    source: () => ({
      async sync(_request, turn) {
        await clock.advance(did.sendingMs);
        const head = { kind: "begin", ...turn, version: "1", schemas: { state: 1, history: 1 } } as const;
        return { bytes: new Uint8Array(Buffer.concat(encodeRecord(head))), isLast };
      },
      history: async () => new Uint8Array(0),
    }),
  });
  return { second, clock, promised, noted, did, leaseHolder, meta };
}

const request = (machine: StandbyMachine, more: Partial<SyncRequest> = {}): SyncRequest => ({
  ...{ machine, version: "1", promiseMs: 0, have: { journals: {} } },
  ...more,
});

function turnIn(answer: Uint8Array): number {
  const [first] = decodeRecords(answer);
  return first?.head.kind === "begin" ? first.head.turn : 0;
}

test("a promise counts from when the answer that it names was sent, whatever the way took", async () => {
  const { second, clock, promised, did } = open();
  second.pair(MACHINE, false);
  did.sendingMs = 100;
  const turn = turnIn(await second.sync(request(MACHINE, { promiseMs: 5000 })));
  expect(promised).toEqual([]);
  const sentAt = clock.mono();
  await clock.advance(3000);
  await second.sync(request(MACHINE, { turn, promiseMs: 5000 }));
  expect(promised).toEqual([[MACHINE.id, sentAt + 5000]]);
  // Of an answer of another process, or that was never given.
  await second.sync(request(MACHINE, { turn: turn + 100, promiseMs: 5000 }));
  await open().second.sync(request(MACHINE, { turn, promiseMs: 5000 }));
  await second.sync(request(MACHINE, { turn, promiseMs: 0 }));
  expect(promised).toHaveLength(1);
});

test("the turns of two processes are never the same", async () => {
  const [one, other] = [open().second, open().second];
  const turns = [await one.sync(request(MACHINE)), await other.sync(request(MACHINE))].map(turnIn);
  expect(Math.abs((turns[0] ?? 0) - (turns[1] ?? 0))).toBeGreaterThan(1000);
  expect(turns.every(Number.isSafeInteger)).toBe(true);
});

test("the lease names the standby, unless a person decides; where the engine is gone, it is tried again", async () => {
  const { second, clock, leaseHolder, did } = open();
  did.engineIsGone = true;
  second.pair(MACHINE, false);
  await clock.advance(1000);
  expect(leaseHolder.standby).toBeUndefined();
  did.engineIsGone = false;
  await clock.advance(10_000);
  expect(leaseHolder.standby).toBe(MACHINE.id);
  await second.sync(request({ ...MACHINE, manual: true }));
  await clock.advance(1000);
  expect(leaseHolder.standby).toBeUndefined();
  expect(second.status()?.manual).toBe(true);
  await second.sync(request(MACHINE));
  await clock.advance(1000);
  expect(leaseHolder.standby).toBe(MACHINE.id);
  second.forget();
  await clock.advance(1000);
  expect([leaseHolder.standby, second.status()]).toEqual([undefined, undefined]);
  second[Symbol.dispose]();
  expect(clock.pending()).toEqual([]);
});

test("a copy is whole once the standby asks again after the last answer", async () => {
  const { second, clock } = open();
  second.pair(MACHINE, false);
  expect(second.status()).toMatchObject({ isWhole: false, lastSeenSecs: undefined });
  const turn = turnIn(await second.sync(request(MACHINE)));
  expect(second.status()?.isWhole).toBe(false);
  await clock.advance(2000);
  await second.sync(request(MACHINE, { turn }));
  expect(second.status()).toMatchObject({ isWhole: true, lastSeenSecs: 0, behindSecs: 2 });
});

test("the copy of a standby that cannot open this house's databases is not whole", async () => {
  const { second } = open();
  second.pair(MACHINE, false);
  const turn = turnIn(await second.sync(request(MACHINE)));
  const later = turnIn(await second.sync(request(MACHINE, { turn, tooOld: true })));
  expect(second.status()).toMatchObject({ isWhole: false, behindSecs: undefined });
  expect(() => second.handOver()).toThrow("is not whole");
  // It was upgraded.
  await second.sync(request(MACHINE, { turn: later }));
  expect(second.status()?.isWhole).toBe(true);
});

test("a hand-over needs a standby that is seen and has a whole copy", async () => {
  const { second, clock, did } = open();
  const tried = (): string => {
    try {
      second.handOver();
      return "done";
    } catch (error) {
      return error instanceof HubError ? `${error.code}: ${error.message}` : "a bug";
    }
  };
  expect(tried()).toContain("conflict: there is no standby");
  second.pair(MACHINE, false);
  expect(tried()).toContain("is not heard");
  const turn = turnIn(await second.sync(request(MACHINE)));
  expect(tried()).toContain("not whole");
  await second.sync(request(MACHINE, { turn }));
  await clock.advance(60_000);
  expect(tried()).toContain("is not heard");
  await second.sync(request(MACHINE));
  expect([tried(), did.handedOver]).toEqual(["done", 1]);
});

test("the key works the other way round: the machine that took over is not its own standby", async () => {
  const meta = createMeta();
  const before = open({ meta });
  const key = before.second.pair(MACHINE, false);
  const after = open({ meta, own: MACHINE.id }).second;
  expect(after.status()).toBeUndefined();
  after.check(key);
  await after.sync(request(OWN));
  expect(after.status()?.machine).toEqual(OWN);
});

test("another machine with the same key is refused while the standby is seen, and what it says of itself is noted", async () => {
  const { second, clock, noted } = open();
  const key = second.pair(MACHINE, false);
  await second.sync(request(MACHINE));
  const other = { ...MACHINE, id: "standby-2" };
  await expect(second.sync(request(other))).rejects.toThrow("the same key");
  expect(() => second.pair(other, false)).toThrow("--replace");
  await clock.advance(61_000);
  await second.sync(request({ ...MACHINE, address: "http://attic:81" }));
  expect(noted).toEqual([
    { ...MACHINE, key },
    { ...MACHINE, address: "http://attic:81", key },
  ]);
  expect(() => second.pair(OWN, true)).toThrow("its own standby");
});

test("a standby that leaves many answers unread makes the hub remember no more", async () => {
  const { second, promised } = open();
  const first = turnIn(await second.sync(request(MACHINE)));
  for (let count = 0; count < 100; count++) await second.sync(request(MACHINE));
  await second.sync(request(MACHINE, { turn: first, promiseMs: 1000 }));
  expect(promised).toEqual([]);
});
