// What set off what. An event that a rule's action brought about carries the rules that led to it, so that rules that set
// each other off in a circle are found at once, with their names. Only what follows on the heels counts: a rule that
// blinks a lamp for ever is slow, and meant.
import type { Clock } from "../../core/clock.ts";
import type { Envelope } from "../../events/feed.ts";

/** A run that may bring about events. */
export interface Cause {
  /** Names of the rules up to this one; the first was set off by something else. */
  readonly chain: readonly string[];
  /** When it began, monotonic ms. */
  readonly mono: number;
}

export interface Causes {
  /** Does something on behalf of a run: the events that come of it at once are its own. */
  during<T>(cause: Cause, act: () => T): T;
  /** The rules that led to this event; none where it came from outside. */
  chainOf(envelope: Envelope): readonly string[];
  /** The rules a run of this cause passes on now. */
  chainAfter(cause: Cause): readonly string[];
}

export interface CausesOptions {
  clock: Clock;
  /** `seq` of the newest event. */
  head(): number;
  /** The last run of a rule, where a device says that this rule changed it. */
  lastRunOf(ruleId: string): Cause | undefined;
}

interface Stretch {
  readonly after: number;
  through: number;
  readonly cause: Cause;
}

const ON_THE_HEELS_MS = 250;
// Events wait for each other, never for long.
const MOST_STRETCHES = 256;
const NOBODY: readonly string[] = [];

export function createCauses({ clock, head, lastRunOf }: CausesOptions): Causes {
  const stretches: Stretch[] = [];

  const chainAfter = ({ chain, mono }: Cause): readonly string[] =>
    clock.mono() - mono <= ON_THE_HEELS_MS ? chain : NOBODY;

  /** The innermost: it began last. */
  function stretchOf(seq: number): Stretch | undefined {
    let found: Stretch | undefined;
    for (const stretch of stretches) {
      if (stretch.after < seq && seq <= stretch.through && (!found || found.after <= stretch.after)) found = stretch;
    }
    return found;
  }

  return {
    during(cause, act) {
      const stretch: Stretch = { after: head(), through: Number.POSITIVE_INFINITY, cause };
      stretches.push(stretch);
      try {
        return act();
      } finally {
        stretch.through = head();
        if (stretch.through === stretch.after) stretches.splice(stretches.lastIndexOf(stretch), 1);
        else if (stretches.length > MOST_STRETCHES) stretches.shift();
      }
    },
    chainOf({ seq, event }) {
      while (stretches[0] && stretches[0].through < seq) stretches.shift();
      const cause = stretchOf(seq)?.cause ?? causeInChange(event, lastRunOf);
      return cause ? chainAfter(cause) : NOBODY;
    },
    chainAfter,
  };
}

/** A device's plugin echoes from the command who changed it. */
function causeInChange(event: object, lastRunOf: CausesOptions["lastRunOf"]): Cause | undefined {
  const { change } = event as { change?: { kind?: unknown; actor_id?: unknown } };
  return change?.kind === "rule" && typeof change.actor_id === "string" ? lastRunOf(change.actor_id) : undefined;
}
