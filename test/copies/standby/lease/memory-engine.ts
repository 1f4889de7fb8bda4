// A lease in memory with an engine's meaning, whose links fail as networks do.
import type { LeaseEngine, LeaseRow } from "../../../../src/copies/standby/lease/lease.ts";
import { createWitness } from "../../../../src/copies/standby/lease/witness.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import type { Clock } from "../../../../src/kit/time/clock.ts";

interface StoredRow extends Omit<LeaseRow, "leftMs"> {
  endsAt: number;
  turn: number;
}

/**
 * What becomes of a question: answered after `ms`; or never, and then it still arrives after `lateMs`, or not at all.
 */
export type Fate = { ms: number } | { lateMs: number } | "lost";

export interface MemoryServer {
  /** `fate` is asked for each question; `own` is the machine's clock, which may stand still with its process. */
  connect(fate?: () => Fate, own?: Clock): LeaseEngine;
  empty(): void;
}

const WITHIN_MS = 400;

export function createMemoryServer(clock: Clock): MemoryServer {
  let row: StoredRow | undefined;

  function connect(fate: () => Fate = () => ({ ms: 0 }), own = clock): LeaseEngine {
    const url = "memory://server";
    const witness = createWitness(own, url);
    let turn = 0;

    function ask<T>(work: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const what = fate();
      if (what === "lost" || "lateMs" in what) {
        own.after("question", WITHIN_MS, () => reject(new HubError("unavailable", "memory does not answer")));
        if (what !== "lost") clock.after("question", what.lateMs, () => void work());
        return promise;
      }
      if (what.ms === 0) return Promise.resolve(work());
      // Half of the time there, half of it back.
      clock.after("question", what.ms / 2, () => {
        const answer = work();
        own.after("answer", what.ms / 2, () => resolve(answer));
      });
      return promise;
    }

    function rowNow(): (LeaseRow & { mark: string }) | undefined {
      if (!row) return undefined;
      const { endsAt, turn: renewals, ...rest } = row;
      return { ...rest, leftMs: Math.max(0, endsAt - clock.mono()), mark: `${rest.epoch} ${renewals} ${endsAt}` };
    }

    async function read(): Promise<LeaseRow | undefined> {
      const found = await ask(rowNow);
      if (!found) return undefined;
      const { mark, ...rest } = found;
      return { ...rest, leftMs: witness.leftMs(mark, found.leftMs, found.leftMs) };
    }

    return {
      url,
      read,
      async take(machine, ttlMs, known = 0) {
        const seen = await read();
        witness.mayTake(seen, { known, ttlMs });
        if (seen && seen.leftMs > 0 && seen.holder.id !== machine.id) return { ok: false, row: seen };
        const askedAt = clock.mono();
        const taken = await ask(() => {
          if (row?.epoch !== seen?.epoch) return undefined;
          const isOwn = row?.holder.id === machine.id;
          if (row && !isOwn && (row.standby !== machine.id || row.endsAt > clock.mono())) return undefined;
          const standby = isOwn ? row?.standby : undefined;
          const epoch = Math.max(row?.epoch ?? 0, known) + 1;
          row = { holder: machine, epoch, standby, endsAt: clock.mono() + ttlMs, turn: 0 };
          return { epoch, standby };
        });
        if (taken) return { ok: true, ...taken, askedAt };
        const now = await read();
        if (now) return { ok: false, row: now };
        throw new HubError("unavailable", "the row is gone");
      },
      renew({ machine, epoch, standby, ttlMs }) {
        const mine = ++turn;
        return ask(() => {
          const isMine =
            row?.holder.id === machine.id && (row.epoch < epoch || (row.epoch === epoch && row.turn < mine));
          if (row && !isMine) return false;
          row = { holder: machine, epoch, standby, endsAt: clock.mono() + ttlMs, turn: mine };
          return true;
        });
      },
      giveUp({ machine, epoch }) {
        const mine = ++turn;
        return ask(() => {
          if (row?.holder.id === machine.id && row.epoch === epoch && row.turn < mine)
            row = { ...row, endsAt: clock.mono(), turn: mine };
        });
      },
      async [Symbol.asyncDispose]() {},
    };
  }

  return {
    connect,
    empty() {
      row = undefined;
    },
  };
}
