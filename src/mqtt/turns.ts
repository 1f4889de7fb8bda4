// Takes connections in turn: one piece of one connection in one round of the event loop, and between two rounds everything
// else the process has to do. However much guests send, nobody waits longer than for one piece.

export interface Turns {
  /** Calls `work` once, behind all that were here before. */
  take(work: () => void): void;
}

/** What one turn takes at most, though at least one packet. */
export const PIECE = { packets: 16, bytes: 65_536 };

export function createTurns(): Turns {
  let waiting: (() => void)[] = [];
  let round: (() => void)[] = [];
  let at = 0;
  let running = false;

  function next(): void {
    if (at === round.length) {
      round = waiting;
      waiting = [];
      at = 0;
    }
    const work = round[at++];
    running = at < round.length || waiting.length > 0;
    // Before the work: one that throws must not stop the others.
    if (running) setImmediate(next);
    work?.();
  }

  return {
    take(work) {
      waiting.push(work);
      if (running) return;
      running = true;
      setImmediate(next);
    },
  };
}
