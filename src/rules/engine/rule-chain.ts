// Which rules led to an event. An event that a rule's action caused carries the names of these rules, so that rules that
// trigger each other in a circle are found at once. Only events that follow immediately count: a rule that makes a lamp
// blink forever is slow, and intended.
import type { Clock } from "../../kit/time/clock.ts";
import type { Envelope } from "../../server/events/feed.ts";

/** A run, as the cause of events. */
export interface ChainedRun {
  /** Names of the rules up to this one. The first was triggered by something else. */
  readonly chain: readonly string[];
  /** Its start, monotonic ms. */
  readonly mono: number;
}

export interface RuleChains {
  /** Does something for a run: the events emitted meanwhile are caused by it. */
  during<T>(run: ChainedRun, act: () => T): T;
  /** The rules that led to this event; none if it came from outside. */
  chainOf(envelope: Envelope): readonly string[];
  /** The rules that led to what this run does now. */
  chainAfter(run: ChainedRun): readonly string[];
}

export interface RuleChainsOptions {
  clock: Clock;
  /** `seq` of the newest event. */
  head(): number;
  /** The last run of a rule, for device changes that name the rule as their actor. */
  lastRunOf(ruleId: string): ChainedRun | undefined;
}

/** The events after `after`, up to and including `through`, are caused by the run. */
interface Span {
  readonly after: number;
  through: number;
  readonly run: ChainedRun;
}

const IMMEDIATELY_MS = 250;
// Spans are dropped as soon as their events were evaluated, so there are never many.
const MAX_SPANS = 256;
const NO_RULES: readonly string[] = [];

export function createRuleChains({ clock, head, lastRunOf }: RuleChainsOptions): RuleChains {
  const spans: Span[] = [];

  const chainAfter = ({ chain, mono }: ChainedRun): readonly string[] =>
    clock.mono() - mono <= IMMEDIATELY_MS ? chain : NO_RULES;

  /** The innermost span, which is the one that began last. */
  function spanOf(seq: number): Span | undefined {
    let found: Span | undefined;
    for (const span of spans) {
      if (span.after < seq && seq <= span.through && (!found || found.after <= span.after)) found = span;
    }
    return found;
  }

  return {
    during(run, act) {
      const span: Span = { after: head(), through: Number.POSITIVE_INFINITY, run };
      spans.push(span);
      try {
        return act();
      } finally {
        span.through = head();
        if (span.through === span.after) spans.splice(spans.lastIndexOf(span), 1);
        else if (spans.length > MAX_SPANS) spans.shift();
      }
    },
    chainOf({ seq, event }) {
      while (spans[0] && spans[0].through < seq) spans.shift();
      const run = spanOf(seq)?.run ?? runInChange(event, lastRunOf);
      return run ? chainAfter(run) : NO_RULES;
    },
    chainAfter,
  };
}

/** A device's plugin echoes from the command which rule sent it. */
function runInChange(event: object, lastRunOf: RuleChainsOptions["lastRunOf"]): ChainedRun | undefined {
  const { change } = event as { change?: { kind?: unknown; actor_id?: unknown } };
  return change?.kind === "rule" && typeof change.actor_id === "string" ? lastRunOf(change.actor_id) : undefined;
}
