// Keeps the lease while this machine is the hub, and says at each moment whether it may command. Everything is counted by the monotonic
// clock at the moment of asking, not by timers: a process that slept finds out before it does anything.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { LeaseEngine, LeaseHolder, Machine, TakenLease } from "./lease.ts";

export interface LeaseHolderOptions {
  engine: LeaseEngine;
  machine: Machine;
  taken: TakenLease;
  ttlMs: number;
  clock: Clock;
  log: Log;
  whenAlone: "stop" | "continue";
}

/** For clocks that do not run alike, and for commands that are on their way when it ends. */
const MARGIN = 0.1;
const RENEW_AFTER = 0.25;
const RETRY_AFTER = 1 / 16;
/** How long a failed renewal shows that the engine cannot be asked: until the next one has failed as well. */
const ALONE_FOR = 0.5;

/**
 * It is held until the lease ends. Beyond that, it is held
 * - while the standby that the engine last accepted promises not to take over;
 * - where the engine last accepted that there is none: then nobody may take it;
 * - with `continue`, while the engine cannot be asked.
 * It is lost as soon as the engine says that another machine has it, or when it is not held and a renewal fails.
 */
export function createLeaseHolder({
  engine,
  machine,
  taken,
  ttlMs,
  clock,
  log,
  whenAlone,
}: LeaseHolderOptions): LeaseHolder {
  const { epoch } = taken;
  const lost = Promise.withResolvers<string>();
  let isOver = false;
  let leaseUntil = Number.NEGATIVE_INFINITY;
  let aloneUntil = Number.NEGATIVE_INFINITY;
  let promise = { by: "", until: Number.NEGATIVE_INFINITY };
  // Undefined while it is not known which of two names the engine has.
  let accepted: { standby: string | undefined } | undefined;
  let wanted = taken.standby;
  let trouble: string | undefined;
  let timer: Timer | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function accept(askedAt: number, standby: string | undefined): void {
    leaseUntil = Math.max(leaseUntil, askedAt + ttlMs * (1 - MARGIN));
    aloneUntil = Number.NEGATIVE_INFINITY;
    accepted = { standby };
  }

  function isHeld(): boolean {
    if (isOver) return false;
    const now = clock.mono();
    if (now < leaseUntil || now < aloneUntil) return true;
    if (!accepted) return false;
    return accepted.standby === undefined || (accepted.standby === promise.by && now < promise.until);
  }

  function end(): void {
    isOver = true;
    timer?.[Symbol.dispose]();
  }

  function lose(reason: string): void {
    end();
    log.error("this machine is no longer the house's hub", { reason, epoch });
    lost.resolve(reason);
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => {});
    return turn;
  }

  async function renew(): Promise<void> {
    if (isOver) return;
    const askedAt = clock.mono();
    const standby = wanted;
    if (accepted && accepted.standby !== standby) accepted = undefined;
    try {
      const kept = await engine.renew({ machine, epoch, standby, ttlMs });
      if (isOver) return;
      if (!kept) return lose("another machine has the lease");
      accept(askedAt, standby);
      if (trouble !== undefined) log.info("the lease is renewed again", { engine: engine.url });
      trouble = undefined;
    } catch (error) {
      onFailure(messageOf(error));
      throw error;
    }
  }

  function onFailure(why: string): void {
    if (isOver) return;
    if (trouble === undefined) log.warn("the lease cannot be renewed", { engine: engine.url, why });
    trouble = why;
    if (whenAlone === "continue") aloneUntil = clock.mono() + ttlMs * ALONE_FOR;
    if (!isHeld()) lose(`the lease could not be renewed in time: ${why}`);
  }

  async function keep(): Promise<void> {
    let waitMs = ttlMs * RENEW_AFTER;
    try {
      await inTurn(renew);
    } catch {
      waitMs = ttlMs * RETRY_AFTER;
    }
    schedule(waitMs);
  }

  function schedule(waitMs: number): void {
    if (!isOver) timer = clock.after("lease", waitMs, () => void keep());
  }

  if (taken.askedAt !== undefined && "standby" in taken) accept(taken.askedAt, taken.standby);
  // It begins without the engine: until the first renewal has failed as well.
  if (taken.askedAt === undefined && whenAlone === "continue") aloneUntil = clock.mono() + ttlMs * ALONE_FOR;
  schedule(taken.askedAt === undefined ? 0 : ttlMs * RENEW_AFTER);

  return {
    epoch,
    get isHeld() {
      return isHeld();
    },
    lost: lost.promise,
    get trouble() {
      return trouble;
    },
    async nameStandby(id) {
      const before = wanted;
      wanted = id;
      try {
        await inTurn(renew);
      } catch (error) {
        if (wanted === id) wanted = before;
        throw error;
      }
      if (isOver) throw new HubError("unavailable", "this machine no longer has the lease");
    },
    get standby() {
      return accepted?.standby;
    },
    promised(by, untilMono) {
      promise = { by, until: untilMono };
    },
    async giveUp() {
      if (isOver) return;
      end();
      await lastTurn;
      await engine.giveUp({ machine, epoch });
    },
    async [Symbol.asyncDispose]() {
      end();
      await lastTurn;
    },
  };
}
