// What a rule would have done over a past period: the recorded changes of its devices and the moments of its schedules are
// put to the engine one after the other, in the house of each moment.
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { RandomBytes } from "../../core/ids.ts";
import { within } from "../../core/lifecycle.ts";
import type { Evaluated } from "../engine/evaluator.ts";
import type { EngineOptions } from "../engine/wire-engine.ts";
import type { RuleHost } from "../model/host.ts";
import type { ActionTrace, Trace } from "../model/trace.ts";
import type { Rule } from "../read/rule.ts";
import { veiledTrace } from "../store/veil.ts";
import { contentsOf } from "./contents.ts";
import { createMisses, type Miss } from "./misses.ts";
import { createPastClock } from "./past-clock.ts";
import { createPastEngine, type PastEngine } from "./past-engine.ts";
import { eventsOf } from "./past-events.ts";
import { createPastHouse, type PastHouse } from "./past-house.ts";
import { earlier } from "./past-schedules.ts";
import { type Recorded, type RecordedChange, type RecordedHistory, readRecorded } from "./recorded.ts";
import { createSlices } from "./slices.ts";
import { type Named, readsAvailability, unknownOf, unrecorded, wallText } from "./unknown.ts";

export interface ReplayWanted {
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
  history: RecordedHistory;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** For people who may not see secrets. */
  withoutSecrets: boolean;
}

export interface Replay {
  /** Epoch ms; up to here it was replayed: before `to` where a limit was reached. */
  until: number;
  /** Finished dry runs, oldest first. */
  firings: Trace[];
  /** Those that are not listed. */
  omittedFirings: number;
  misses: Miss[];
  /** What could not be known, each in one sentence for people. */
  unknown: string[];
  /** Samples read, and evaluations of the rule. */
  samples: number;
  evaluations: number;
}

export interface ReplayOptions {
  rule: Rule;
  /** What it names, in expressions too. */
  references: readonly Named[];
  /** The house of now. */
  host: RuleHost;
  clock: Clock;
  random: RandomBytes;
  vocabulary: EngineOptions["vocabulary"];
  evaluate: EngineOptions["evaluate"];
  hasRule(id: string): boolean;
  mostSamples?: number;
  mostEvaluations?: number;
}

const MOST_SAMPLES = 200_000;
const MOST_EVALUATIONS = 50_000;
// The answer is one text, which is made at once.
const MOST_LISTED_ACTIONS = 2000;
const LONGEST_MS = 15_000;
const LONGEST_RUN_MS = 2000;

/** Throws HubError `unavailable` where no history can be read, or the signal was aborted. */
export async function replayRule(options: ReplayOptions, wanted: ReplayWanted): Promise<Replay> {
  const { rule, references, vocabulary, host } = options;
  const { from, to, history, signal, withoutSecrets } = wanted;
  const contents = contentsOf(rule, references);
  const deviceIds = new Set(
    references.filter(({ kind }) => kind === "device" || kind === "mode").map(({ name }) => name),
  );
  const clock = createPastClock(from);
  const asked = { rule, contents, references, definitions: vocabulary.triggers, from, zone: host.zone };
  const unknown = new Set(unknownOf(asked));
  const house = createPastHouse({ host, deviceIds, now: clock.now, unknown: (text) => unknown.add(text) });
  const check = (): void => {
    if (signal.aborted) throw new HubError("unavailable", "nobody waits for this replay any more");
  };
  const recorded = await readRecorded({ history, deviceIds: [...deviceIds], from, to, check });
  for (const change of recorded.before) house.apply(change);
  const engine = createPastEngine({ ...options, clock, host: house.host });
  const hasActions = rule.triggers.some(({ type }) => type === "device_action");
  const results = createResults(withoutSecrets);
  const cut = await run({ options, clock, house, engine, recorded, results, hasActions, to, check });
  if (cut !== undefined) unknown.add(`what came after ${wallText(clock.now(), host.zone)}: ${cut}`);
  for (const text of unrecorded(asked, host, house)) unknown.add(text);
  if (readsAvailability(contents)) unknown.add("whether devices were available: each was taken to be");
  return {
    until: cut === undefined ? to : clock.now(),
    ...results.all(),
    unknown: [...unknown],
    samples: recorded.samples,
  };
}

interface Running {
  options: ReplayOptions;
  clock: ReturnType<typeof createPastClock>;
  house: PastHouse;
  engine: PastEngine;
  recorded: Recorded;
  results: Results;
  hasActions: boolean;
  to: number;
  check(): void;
}

/** Why it ended early; undefined if it did not. */
async function run(running: Running): Promise<string | undefined> {
  const { options, clock, engine, recorded, results, to, check } = running;
  const { mostSamples = MOST_SAMPLES, mostEvaluations = MOST_EVALUATIONS } = options;
  const slice = createSlices(options.clock);
  const began = options.clock.mono();
  for (;;) {
    const change = await recorded.next();
    const at = earlier(earlier(change?.at, engine.due()), clock.due());
    if (at === undefined || at >= to) return undefined;
    if (recorded.samples >= mostSamples) return `${mostSamples} recorded values were read, and no more are`;
    if (results.evaluations >= mostEvaluations)
      return `it was triggered ${mostEvaluations} times, and no more are replayed`;
    if (options.clock.mono() - began > LONGEST_MS) return "the replay took too long";
    clock.moveTo(at);
    if (change?.at === at) hear(running, change);
    else if (engine.due() === at) engine.runDue();
    else clock.runDue();
    for (const evaluated of engine.taken()) results.add(await finished(running, evaluated));
    if (await slice()) check();
  }
}

function hear({ house, engine, recorded, hasActions }: Running, change: RecordedChange): void {
  recorded.take(change);
  const states = house.apply(change);
  const device = house.host.device(change.deviceId);
  for (const event of device ? eventsOf({ device, ...states }, hasActions) : []) engine.hear(event);
}

async function finished({ options, engine }: Running, { run, ...rest }: Evaluated): Promise<Trace> {
  if (!run) return (rest as { trace: Trace }).trace;
  if (run.trace.endedAt !== undefined) return run.trace;
  if (!(await within(options.clock, LONGEST_RUN_MS, "rules: replay", run.finished.promise)))
    engine.end(run, "its dry run took too long and was ended");
  return run.trace;
}

interface Results {
  readonly evaluations: number;
  add(trace: Trace): void;
  all(): Pick<Replay, "firings" | "omittedFirings" | "misses" | "evaluations">;
}

function createResults(withoutSecrets: boolean): Results {
  const firings: Trace[] = [];
  const misses = createMisses();
  let listed = 0;
  let omittedFirings = 0;
  let evaluations = 0;
  return {
    get evaluations() {
      return evaluations;
    },
    add(whole) {
      evaluations++;
      const trace = withoutSecrets ? veiledTrace(whole) : whole;
      if (trace.outcome !== "fired") misses.add(trace);
      else if (listed >= MOST_LISTED_ACTIONS) omittedFirings++;
      else {
        firings.push(trace);
        listed += 1 + countActions(trace.actions);
      }
    },
    all: () => ({ firings, omittedFirings, misses: misses.list(), evaluations }),
  };
}

function countActions(actions: readonly ActionTrace[]): number {
  return actions.reduce((sum, { parts = [] }) => sum + 1 + countActions(parts), 0);
}
