// What every engine of the lease must do, for tests in memory and for real servers: each case has a house of its own.
import type { LeaseEngine, Machine, Taken } from "../../../../src/copies/standby/lease/lease.ts";

export interface ContractHouse {
  /** How long its leases hold. A real server on a busy machine takes its time, of which there must be less than half of it. */
  readonly ttlMs: number;
  /** Another machine's connection; its wall clock is off by so much. */
  open(wallOffsetMs?: number): Promise<LeaseEngine>;
  /** Removes what the engine has of the house. */
  empty(): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

export type Check = (what: string, found: unknown, expected: unknown) => void;

export interface ContractCase {
  name: string;
  run(house: ContractHouse, check: Check): Promise<void>;
}

const HOUR_MS = 3_600_000;

export function machineNamed(id: string): Machine {
  return { id, name: `host of ${id}`, address: `http://${id}.test:8080` };
}
const [ADA, BEN, CAT] = ["ada", "ben", "cat"].map(machineNamed) as [Machine, Machine, Machine];

const epochOf = (taken: Taken): number | string => (taken.ok ? taken.epoch : `${taken.row.holder.id} has it`);

export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => "nothing",
    (error) => (error as { code?: unknown }).code ?? String(error),
  );
}

/** Ada has it in epoch 1, and Ben is the standby. */
async function shared(house: ContractHouse): Promise<{ ada: LeaseEngine; ben: LeaseEngine }> {
  const [ada, ben] = [await house.open(), await house.open()];
  await ada.take(ADA, house.ttlMs);
  await ada.renew({ machine: ADA, epoch: 1, standby: BEN.id, ttlMs: house.ttlMs });
  return { ada, ben };
}

export const ENGINE_CONTRACT: ContractCase[] = [
  {
    name: "the first one that asks gets it, and others read who",
    async run(house, check) {
      const [ada, ben] = [await house.open(), await house.open()];
      check("nobody ever had it", await ada.read(), undefined);
      check("the first epoch", epochOf(await ada.take(ADA, house.ttlMs)), 1);
      const row = await ben.read();
      check("who has it", [row?.holder, row?.epoch, row?.standby], [ADA, 1, undefined]);
      check("for how long", row && row.leftMs > 0 && row.leftMs <= house.ttlMs, true);
      check("no one else gets it", epochOf(await ben.take(BEN, house.ttlMs)), "ada has it");
      await house.pass(house.ttlMs * 1.3);
      check("… nor after its end: no standby is named", epochOf(await ben.take(BEN, house.ttlMs)), "ada has it");
      check("… but its holder may still renew it", await renewed(house, ada, 1, undefined), true);
    },
  },
  {
    name: "of twenty that ask at once, one gets it",
    async run(house, check) {
      const machines = Array.from({ length: 20 }, (_, n) => machineNamed(`machine-${n}`));
      const engines = await Promise.all(machines.map(() => house.open()));
      const taken = await Promise.all(machines.map((machine, n) => engines[n]?.take(machine, house.ttlMs)));
      check(
        "one",
        taken.filter((one) => one?.ok).map((one) => one?.ok && one.epoch),
        [1],
      );
      const winner = machines[taken.findIndex((one) => one?.ok)]?.id;
      const reported = taken.flatMap((one) => (one && !one.ok ? [one.row.holder.id] : []));
      check("the others learn who", [reported.length, new Set(reported)], [19, new Set([winner])]);
    },
  },
  {
    name: "the standby gets it when it has ended, nobody else, and with the next epoch",
    async run(house, check) {
      const { ada, ben } = await shared(house);
      const cat = await house.open();
      check("the standby is named", (await ben.read())?.standby, "ben");
      check("not before its end", epochOf(await ben.take(BEN, house.ttlMs)), "ada has it");
      await house.pass(house.ttlMs * 0.55);
      check("renewed", await renewed(house, ada, 1, BEN.id), true);
      await house.pass(house.ttlMs * 0.55);
      check("not before the end of what was renewed", epochOf(await ben.take(BEN, house.ttlMs)), "ada has it");
      check("the others see that it goes on", ((await cat.read())?.leftMs ?? 0) > 0, true);
      await house.pass(house.ttlMs * 1.2);
      check("it has ended", (await cat.read())?.leftMs, 0);
      check("not another machine", epochOf(await cat.take(CAT, house.ttlMs)), "ada has it");
      check("the standby, in the next epoch", epochOf(await ben.take(BEN, house.ttlMs)), 2);
      check("the former holder cannot renew", await renewed(house, ada, 1, BEN.id), false);
      await ada.giveUp({ machine: ADA, epoch: 1 });
      const row = await cat.read();
      check(
        "… nor give up what is not its own",
        [row?.holder.id, row?.standby, (row?.leftMs ?? 0) > 0],
        [...["ben", undefined, true]],
      );
      check("… nor take it back", epochOf(await ada.take(ADA, house.ttlMs)), "ben has it");
    },
  },
  {
    name: "its holder takes it anew at once, and the standby stays named",
    async run(house, check) {
      await shared(house);
      const taken = await (await house.open()).take(ADA, house.ttlMs);
      check("the next epoch", taken.ok && [taken.epoch, taken.standby], [2, "ben"]);
      const row = await (await house.open()).read();
      check("the standby", row?.standby, "ben");
    },
  },
  {
    name: "an earlier epoch of the same machine renews and gives up nothing",
    async run(house, check) {
      const { ada } = await shared(house);
      const again = await house.open();
      await again.take(ADA, house.ttlMs);
      check("not renewed", await renewed(house, ada, 1, CAT.id), false);
      await ada.giveUp({ machine: ADA, epoch: 1 });
      const row = await again.read();
      check("goes on", [row?.epoch, row?.standby, (row?.leftMs ?? 0) > 0], [2, "ben", true]);
    },
  },
  {
    name: "given up, the standby need not wait",
    async run(house, check) {
      const { ada, ben } = await shared(house);
      check("seen before", ((await ben.read())?.leftMs ?? 0) > 0, true);
      await ada.giveUp({ machine: ADA, epoch: 1 });
      check("it has ended", (await ben.read())?.leftMs, 0);
      check("the standby has it", epochOf(await ben.take(BEN, house.ttlMs)), 2);
    },
  },
  {
    name: "twenty connections of the holder and the standby at its end: never one epoch twice",
    async run(house, check) {
      await shared(house);
      const both = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? ADA : BEN));
      const engines = await Promise.all(both.map(() => house.open()));
      await Promise.all(engines.map((engine) => engine.read()));
      await house.pass(house.ttlMs * 1.2);
      const taken = await Promise.all(both.map((machine, n) => engines[n]?.take(machine, house.ttlMs)));
      const epochs = taken.flatMap((one) => (one?.ok ? [one.epoch] : []));
      check("some got it, each in its own epoch", epochs.length > 0 && new Set(epochs).size === epochs.length, true);
      const row = await engines[0]?.read();
      check("the last one has it", row?.epoch, Math.max(...epochs));
      const last = taken.findIndex((one) => one?.ok && one.epoch === row?.epoch);
      check("… and is named", row?.holder.id, both[last]?.id);
    },
  },
  {
    name: "an engine that lost it: its holder makes it anew",
    async run(house, check) {
      const { ada, ben } = await shared(house);
      await house.empty();
      check("the standby must wait", await codeOf(ben.take(BEN, house.ttlMs, 1)), "unavailable");
      check("renewed", await renewed(house, ada, 1, BEN.id), true);
      check("the standby sees it", epochOf(await ben.take(BEN, house.ttlMs, 1)), "ada has it");
      const row = await ben.read();
      check("as before", [row?.holder.id, row?.epoch, row?.standby], ["ada", 1, "ben"]);
    },
  },
  {
    name: "an engine that lost it, and a holder that is gone: another gets it when that one's time is over",
    async run(house, check) {
      const { ada, ben } = await shared(house);
      await house.empty();
      check("at first not", await codeOf(ben.take(BEN, house.ttlMs, 7)), "unavailable");
      await house.pass(house.ttlMs * 0.5);
      check("nor later", await codeOf(ben.take(BEN, house.ttlMs, 7)), "unavailable");
      await house.pass(house.ttlMs * 0.7);
      check("then with an epoch that nobody had", epochOf(await ben.take(BEN, house.ttlMs, 7)), 8);
      check("the former holder cannot renew", await renewed(house, ada, 1, BEN.id), false);
    },
  },
  {
    name: "the machines' clocks do not count",
    async run(house, check) {
      const [ada, ben] = [await house.open(HOUR_MS), await house.open(-HOUR_MS)];
      await ada.take(ADA, house.ttlMs);
      await renewed(house, ada, 1, BEN.id);
      check("goes on", ((await ben.read())?.leftMs ?? 0) > 0, true);
      check("not before its end", epochOf(await ben.take(BEN, house.ttlMs)), "ada has it");
      await house.pass(house.ttlMs * 1.2);
      check("then", epochOf(await ben.take(BEN, house.ttlMs)), 2);
    },
  },
];

function renewed(
  { ttlMs }: ContractHouse,
  ada: LeaseEngine,
  epoch: number,
  standby: string | undefined,
): Promise<boolean> {
  return ada.renew({ machine: ADA, epoch, standby, ttlMs });
}
