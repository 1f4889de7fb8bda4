// What each step of a start takes, from its beginning to that of the next: for the log at level debug and for /metrics.

export interface StartTimes {
  /** A step begins. A step may go on after another one. */
  enter(step: string): void;
  /** The last step has ended. */
  end(): void;
  /** Whether the last step has ended. */
  isOver(): boolean;
  /** The last step that began; empty before the first. */
  readonly last: () => string;
  /** Milliseconds by step, in the order in which they began. */
  readonly ms: ReadonlyMap<string, number>;
}

/** `before`: steps that have ended already. */
export function createStartTimes(mono: () => number, before: Readonly<Record<string, number>> = {}): StartTimes {
  const ms = new Map(Object.entries(before));
  let last = "";
  let current: { step: string; since: number } | undefined;

  function end(): void {
    if (current) ms.set(current.step, (ms.get(current.step) ?? 0) + mono() - current.since);
    current = undefined;
  }

  return {
    enter(step) {
      end();
      last = step;
      current = { step, since: mono() };
      if (!ms.has(step)) ms.set(step, 0);
    },
    end,
    isOver: () => current === undefined,
    last: () => last,
    ms,
  };
}
