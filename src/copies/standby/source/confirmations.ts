// Notifies who changed something when the standby has it on its disk. What a change has to be in is the answer of any turn that is begun
// after it: each answer is read from the disk anew, so one number stands for databases, files and journals together.
import type { Clock } from "../../../kit/time/clock.ts";

export interface Confirmations extends Disposable {
  /** Whether the last question was answered in time, or nobody has asked yet. */
  readonly isConfirming: boolean;
  /** How many changes were not confirmed in time since the hub started. */
  readonly unconfirmed: number;
  /** Whether the standby has all that is on this machine's disk now. False after some seconds, and at once while it has missed one before. */
  reached(): Promise<boolean>;
  /** A request came, with the turn that it got last and the one that it confirms. Resolves when it is to be answered. */
  ready(request: { turn?: number; confirms?: number; holdMs?: number }): Promise<void>;
  /** The answer of this turn is read from now on. Returns whether somebody waits for it. */
  begin(turn: number): boolean;
  /** There is no standby any more: nobody has to wait for one. */
  release(): void;
}

/** What a person waits for at most. A standby whose connection broke asks again after a second. */
const WITHIN_MS = 3000;
const MAX_HOLD_MS = 5000;

interface Waiting {
  /** Confirmed by each later turn. */
  after: number;
  end(isConfirmed: boolean): void;
}

export function createConfirmations(clock: Pick<Clock, "after">): Confirmations {
  const waiting = new Set<Waiting>();
  const held = new Set<() => void>();
  /** Of this process: a standby may still confirm one of the hub before. */
  let first: number | undefined;
  let begun = Number.NEGATIVE_INFINITY;
  let confirmed = Number.NEGATIVE_INFINITY;
  let isLate = false;
  let isClosed = false;
  let unconfirmed = 0;

  function endAll(isConfirmed: boolean, isDue: (one: Waiting) => boolean = () => true): void {
    for (const one of [...waiting].filter(isDue)) one.end(isConfirmed);
  }

  function confirm(turn: number): void {
    if (first === undefined || turn < first || turn > begun || turn <= confirmed) return;
    confirmed = turn;
    isLate = false;
    endAll(true, ({ after }) => after < turn);
  }

  function wake(): void {
    for (const go of held) go();
  }

  function hold(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after("standby-hold", Math.min(ms, MAX_HOLD_MS), go);
    function go(): void {
      timer[Symbol.dispose]();
      held.delete(go);
      resolve();
    }
    held.add(go);
    return promise;
  }

  return {
    get isConfirming() {
      return !isLate;
    },
    get unconfirmed() {
      return unconfirmed;
    },
    async reached() {
      if (isLate || isClosed) {
        unconfirmed++;
        return false;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const one: Waiting = { after: begun, end };
      const timer = clock.after("standby-confirmation", WITHIN_MS, () => {
        isLate = true;
        // Whoever came later waits for the same machine.
        endAll(false);
      });
      function end(isConfirmed: boolean): void {
        timer[Symbol.dispose]();
        waiting.delete(one);
        if (!isConfirmed) unconfirmed++;
        resolve(isConfirmed);
      }
      waiting.add(one);
      wake();
      return promise;
    },
    async ready({ turn, confirms, holdMs = 0 }) {
      if (confirms !== undefined) confirm(confirms);
      // An answer that was lost is given anew; one that the standby could not take is not given again and again.
      const isNews = [...waiting].some(({ after }) => after === begun || turn !== begun);
      if (holdMs > 0 && !isNews && !isClosed) await hold(holdMs);
    },
    begin(turn) {
      first ??= turn;
      begun = turn;
      return waiting.size > 0;
    },
    release: () => endAll(true),
    [Symbol.dispose]() {
      isClosed = true;
      endAll(false);
      wake();
    },
  };
}
