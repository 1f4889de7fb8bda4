// What a rule would have done over a past period: the recorded changes of its devices and the moments of its schedules are
// put to the engine one after the other, in the house of each moment. Waits of its runs take the time of that period.
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Run } from "../engine/entry.ts";
import type { EngineOptions } from "../engine/wire-engine.ts";
import type { HouseReads } from "../model/host.ts";
import type { Rule } from "../read/rule.ts";
import { contentsOf, type Named } from "./contents.ts";
import { eventsOf } from "./past-events.ts";
import { createPastHouse, type PastHouse } from "./past-house.ts";
import { earlier } from "./past-schedules.ts";
import { type Recorded, type RecordedChange, type RecordedHistory, readRecorded } from "./recorded.ts";
import { createResults, type Found, type Results } from "./results.ts";
import { createSimulatedClock, type SimulatedClock } from "./simulated-clock.ts";
import { createSimulatedEngine, type SimulatedEngine } from "./simulated-engine.ts";
import { readsAvailability, unknownOf, unrecorded, wallText } from "./unknown.ts";

export interface ReplayWanted {
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
  history: RecordedHistory;
  /** For people who may not see secrets. */
  withoutSecrets: boolean;
  /** Called a few times a second. */
  onProgress?: (progress: ReplayProgress) => void;
}

export interface ReplayProgress {
  /** Up to here it is replayed, epoch ms. */
  at: number;
  samples: number;
  evaluations: number;
}

export interface Replay extends Found {
  /** Epoch ms; up to here it was replayed: before `to` where a limit was reached. */
  until: number;
  /** What could not be known, each in one sentence for people. */
  unknown: string[];
  /** Samples read. */
  samples: number;
}

export interface ReplayOptions {
  rule: Rule;
  /** What it names, in expressions too. */
  references: readonly Named[];
  /** The house of now. */
  house: HouseReads;
  clock: Pick<Clock, "mono">;
  random: RandomBytes;
  vocabulary: EngineOptions["vocabulary"];
  evaluate: EngineOptions["evaluate"];
  hasRule(id: string): boolean;
  limits?: Partial<ReplayLimits>;
}

export interface ReplayLimits {
  samples: number;
  evaluations: number;
  /** Of one run. */
  steps: number;
  ms: number;
}

const LIMITS: ReplayLimits = { samples: 1_000_000, evaluations: 100_000, steps: 100_000, ms: 30_000 };
const PROGRESS_MS = 250;

/** Throws HubError `unavailable` where no history can be read. */
export async function replayRule(options: ReplayOptions, wanted: ReplayWanted): Promise<Replay> {
  const { rule, references, vocabulary, house } = options;
  const { from, to, history } = wanted;
  const contents = contentsOf(rule, references, house);
  const clock = createSimulatedClock(from);
  const asked = { rule, contents, references, definitions: vocabulary.triggers, from, zone: house.zone };
  const unknown = new Set(unknownOf(asked));
  const deviceIds = new Set(contents.deviceIds);
  const past = createPastHouse({ house, deviceIds, now: clock.now, unknown: (text) => unknown.add(text) });
  const devices = new Map(contents.deviceIds.map((id) => [id, contents.attributesOf(id)]));
  const recorded = await readRecorded({ history, devices, from, to });
  for (const change of recorded.before) past.apply(change);
  const engine = createSimulatedEngine({ ...options, clock, host: past.host, listens: true });
  const hasActions = rule.triggers.some(({ type }) => type === "device_action");
  const results = createResults(wanted.withoutSecrets);
  const cut = await run({ options, wanted, clock, past, engine, recorded, results, hasActions });
  const until = cut === undefined ? to : clock.now();
  for (const run of results.open()) engine.end(run, `it was still running at ${wallText(until, house.zone)}`);
  results.collect();
  if (cut !== undefined) unknown.add(`what came after ${wallText(until, house.zone)}: ${cut}`);
  for (const text of unrecorded(asked, house, past)) unknown.add(text);
  if (readsAvailability(contents)) unknown.add("whether devices were available: each was taken to be");
  return { until, ...results.found(), unknown: [...unknown], samples: recorded.samples };
}

interface Running {
  options: ReplayOptions;
  wanted: ReplayWanted;
  clock: SimulatedClock;
  past: PastHouse;
  engine: SimulatedEngine;
  recorded: Recorded;
  results: Results;
  hasActions: boolean;
}

/** Why it ended early; undefined if it did not. */
async function run(running: Running): Promise<string | undefined> {
  const { options, wanted, clock, engine, recorded, results } = running;
  const limits = { ...LIMITS, ...options.limits };
  const tooManySteps = ({ counts }: Run): string | undefined =>
    counts.steps > limits.steps ? `it was ended after ${limits.steps} steps` : undefined;
  const report = createReport(options.clock, wanted.onProgress);
  const began = options.clock.mono();
  for (;;) {
    const next = recorded.next();
    const change = next instanceof Promise ? await next : next;
    const at = earlier(earlier(change?.at, engine.due()), clock.due());
    if (at === undefined || at >= wanted.to) return undefined;
    if (recorded.samples >= limits.samples) return `${limits.samples} recorded values were read, and no more are`;
    if (results.evaluations >= limits.evaluations)
      return `it was triggered ${limits.evaluations} times, and no more are replayed`;
    if (options.clock.mono() - began > limits.ms) return "the replay took too long";
    clock.moveTo(at);
    if (change?.at === at) receive(running, change);
    else if (engine.due() === at) engine.runDue();
    else clock.runDue();
    for (const evaluated of engine.taken()) results.add(evaluated);
    if (engine.running.size > 0) await engine.settle(tooManySteps);
    results.collect();
    report({ at, samples: recorded.samples, evaluations: results.evaluations });
  }
}

function receive({ past, engine, recorded, hasActions }: Running, change: RecordedChange): void {
  recorded.take(change);
  const states = past.apply(change);
  const device = past.host.device(change.deviceId);
  for (const event of device ? eventsOf({ device, ...states }, hasActions) : [])
    engine.receive(event, change.timestamp);
}

function createReport(clock: Pick<Clock, "mono">, onProgress: ReplayWanted["onProgress"]) {
  let last = clock.mono();
  return function report(progress: ReplayProgress): void {
    if (!onProgress || clock.mono() - last < PROGRESS_MS) return;
    last = clock.mono();
    onProgress(progress);
  };
}
