// A test of a rule: one evaluation and its whole run, waits included, in simulated time. What the rule sets, it sees; what
// happens meanwhile is what the person says, and otherwise nothing does.
import { HubError } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Run } from "../engine/entry.ts";
import type { PrivateBooleans } from "../model/define.ts";
import type { Trace } from "../model/trace.ts";
import { contentsOf } from "./contents.ts";
import type { HouseChange } from "./made-up-house.ts";
import { earlier } from "./past-schedules.ts";
import type { ReplayOptions } from "./replay.ts";
import { createSimulatedClock, type SimulatedClock } from "./simulated-clock.ts";
import { createSimulatedEngine, type SimulatedEngine } from "./simulated-engine.ts";
import { type Assumed, createTestHouse, type TestHouse } from "./test-house.ts";
import { activationFor, stateIn, type TriggerWanted } from "./test-trigger.ts";
import { unknownInRuns } from "./unknown.ts";

export interface TestWanted extends Assumed {
  trigger?: TriggerWanted | undefined;
  /** Epoch ms; now where absent. */
  at?: number | undefined;
  /** What happens during the run. */
  changes?: readonly TestChange[] | undefined;
}

export interface TestChange extends HouseChange {
  afterSecs: number;
  event?: HubEvent | undefined;
}

export interface TestResult {
  trace: Trace;
  /** What could not be known, each in one sentence for people. */
  unknown: string[];
}

export interface TestOptions extends Omit<ReplayOptions, "clock" | "limits"> {
  /** The real time. */
  clock: Clock;
  /** Its last evaluations, newest first. */
  traces?: readonly Trace[];
  /** Why it would not fire now, although its conditions pass. */
  refusal?: string | undefined;
  captured?: ReadonlyMap<string, Readonly<Record<string, JsonObject>>> | undefined;
  privateBooleans?: PrivateBooleans | undefined;
}

const MAX_RUN_MS = 366 * 86_400_000;
const MAX_STEPS = 30_000;
const MAX_MS = 5000;

/** Nothing of it reaches the real house. Throws HubError `not_found` for a trigger or device that is made up wrongly. */
export async function testRule(options: TestOptions, wanted: TestWanted): Promise<TestResult> {
  const { rule, house, references } = options;
  const clock = createSimulatedClock(wanted.at ?? options.clock.now());
  const contents = contentsOf(rule, references, house);
  const unknown = new Set(unknownInRuns(contents));
  const made = createTestHouse({
    house,
    clock,
    receive: (event) => engine.receive(event),
    unknown: (text) => unknown.add(text),
  });
  const engine = createSimulatedEngine({ ...options, clock, host: made.host, listens: false });
  checkDevices(wanted, { house, references });
  made.assume(wanted);
  const activation = activationFor(rule, wanted.trigger ?? {}, { ...options, house: made.host });
  made.assume({ devices: stateIn(activation.context, { house, made: wanted.devices }) });
  const evaluated = engine.consider(activation);
  if (!evaluated.run) return { trace: evaluated.trace, unknown: [] };
  const { trace } = evaluated.run;
  await runToEnd(evaluated.run, { clock, made, engine, options, changes: wanted.changes ?? [] });
  if (options.refusal !== undefined) trace.why += `; now it would not fire: ${options.refusal}`;
  return { trace, unknown: [...unknown] };
}

interface Running {
  clock: SimulatedClock;
  made: TestHouse;
  engine: SimulatedEngine;
  options: Pick<TestOptions, "clock">;
  changes: readonly TestChange[];
}

async function runToEnd(run: Run, { clock, made, engine, options, changes }: Running): Promise<void> {
  const beganAt = clock.now();
  const beganMono = options.clock.mono();
  const pending = [...changes].sort((a, b) => a.afterSecs - b.afterSecs);
  const whyStopped = (): string | undefined => {
    if (run.counts.steps > MAX_STEPS) return `the test ended after ${MAX_STEPS} steps: it may never end by itself`;
    return options.clock.mono() - beganMono > MAX_MS ? "the test took too long and was ended" : undefined;
  };
  const stop = (why: string): void => engine.end(run, why);
  for (;;) {
    await engine.settle(whyStopped);
    if (run.trace.endedAt !== undefined) return;
    const [change] = pending;
    const changeAt = change && beganAt + change.afterSecs * 1000;
    const next = earlier(changeAt, clock.due());
    const why = whyStopped();
    if (why !== undefined) return stop(why);
    if (next === undefined) return stop("the test ended here: it waits for something that does not come");
    if (next - beganAt > MAX_RUN_MS) return stop("the test ended here: it runs for more than a year");
    clock.moveTo(next);
    if (!change || changeAt !== next) clock.runDue();
    else {
      pending.shift();
      made.change(change);
      if (change.event) engine.receive(change.event);
    }
  }
}

/** A device that neither exists nor is in the rule is a slip of the pen. */
function checkDevices(
  { devices, lastChanged, changes = [] }: TestWanted,
  { house, references }: Pick<TestOptions, "house" | "references">,
): void {
  const named = new Set(references.map(({ name }) => name));
  const made = { ...devices, ...lastChanged, ...Object.assign({}, ...changes.map((change) => change.devices)) };
  const unknown = Object.keys(made).find((id) => !named.has(id) && !house.device(id));
  if (unknown !== undefined)
    throw new HubError("not_found", `devices: there is no device "${unknown}", and the rule names none`);
}
