// Trying rules out, by id or before they are saved: tests of one moment, and replays of a past period.
import { HubError } from "../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { actions } from "../actions/index.ts";
import { conditions } from "../conditions/index.ts";
import type { RuleStanding } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/wire-engine.ts";
import type { HouseReads } from "../model/host.ts";
import type { Trace } from "../model/trace.ts";
import { refusalOf } from "../read/file-problem.ts";
import { textOf } from "../store/edits.ts";
import type { GoodVersion, RuleReader } from "../store/read-rule.ts";
import { triggers } from "../triggers/index.ts";
import type { HouseNow } from "./house-now.ts";
import type { RecordedHistory } from "./recorded.ts";
import type { Replay, ReplayProgress } from "./replay.ts";
import { replayInThread } from "./replay-thread.ts";
import { type TestResult, type TestWanted, testRule } from "./test-run.ts";

/** A rule that runs, by its id; or one that is not saved, as its text or its JSON. */
export type TriedRule = { id: string } | { text: string } | { rule: JsonObject };

export interface TrialReplay {
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
  history: RecordedHistory;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** For people who may not see secrets. */
  withoutSecrets: boolean;
  /** Who asked, for the list. */
  caller: string;
}

export interface RunningReplay extends ReplayProgress {
  id: string;
  /** Undefined for a rule that is not saved. */
  ruleId: string | undefined;
  caller: string;
  from: number;
  to: number;
  startedAt: number;
}

export interface Trials {
  /** What a rule would do: nothing of it reaches the house. Throws HubError `not_found`, `conflict` or `invalid`. */
  test(id: string, wanted?: TestWanted): Promise<TestResult>;
  /** What a rule would have done, also while it is disabled. Throws the same, and HubError `unavailable`. */
  replay(tried: TriedRule, wanted: TrialReplay): Promise<Replay>;
  /** The replays that are not over. */
  running(): RunningReplay[];
  /** Ends a replay: who waits for it gets a HubError `conflict`. Throws HubError `not_found`. */
  cancel(id: string): void;
}

export interface Tried extends RuleStanding {
  good: GoodVersion | undefined;
  /** Newest first. */
  traces: readonly Trace[];
}

export interface TrialsOptions {
  house: HouseReads;
  clock: Clock;
  random: RandomBytes;
  evaluate: EngineOptions["evaluate"];
  reader: RuleReader;
  /** Ids of the rules there are. */
  ids(): readonly string[];
  /** Throws where no such rule runs. */
  find(id: string): Tried;
  /** The version as it would run, with ids for the names of devices. */
  bound(version: GoodVersion): GoodVersion;
  replays?: ReplaysOptions | undefined;
}

export interface ReplaysOptions {
  /** See `replayWorker`. */
  worker: string | URL;
  house(): HouseNow;
}

// Each takes a thread, and some ten megabytes.
const MAX_REPLAYS = 2;

export function createTrials(options: TrialsOptions): Trials {
  const { house, clock, random, evaluate, reader, ids, find, bound, replays } = options;
  const vocabulary = { triggers, conditions, actions };
  const running = new Map<string, RunningReplay & { cancelling: AbortController }>();

  function goodOf(tried: TriedRule): GoodVersion {
    const good = "id" in tried ? find(tried.id).good : readUnsaved(tried, reader);
    if (!good) throw new HubError("not_found", "there is no such rule");
    return bound(good);
  }

  return {
    async test(id, wanted = {}) {
      const { good, ...known } = find(id);
      if (!good) throw new HubError("not_found", `there is no rule "${id}"`);
      const hasRule = (one: string): boolean => ids().includes(one);
      const given = { ...bound(good), house, clock, random, evaluate, hasRule, vocabulary };
      return testRule({ ...given, ...known }, wanted);
    },
    async replay(tried, { signal, history, caller, ...period }) {
      if (!replays) throw new HubError("unavailable", "this hub cannot replay rules");
      const { rule, references } = goodOf(tried);
      if ([...running.values()].some((one) => one.caller === caller))
        throw new HubError("conflict", "your last replay is not over yet: wait for it, or cancel it");
      if (running.size >= MAX_REPLAYS)
        throw new HubError("conflict", `${MAX_REPLAYS} replays are running, which is the limit: try again soon`);
      const id = uuid(random);
      const { from, to } = period;
      const ruleId = "id" in tried ? rule.id : undefined;
      const cancelling = new AbortController();
      const replay = { id, ruleId, caller, from, to, startedAt: clock.now(), at: from, samples: 0, evaluations: 0 };
      const listed = { ...replay, cancelling };
      running.set(id, listed);
      try {
        const task = { ...period, rule, references, house: replays.house(), rules: ids() };
        return await replayInThread(task, {
          source: replays.worker,
          history,
          signal: AbortSignal.any([signal, cancelling.signal]),
          onProgress: (progress) => void Object.assign(listed, progress),
        });
      } finally {
        running.delete(id);
      }
    },
    running: () => [...running.values()].map(({ cancelling: _, ...replay }) => replay),
    cancel(id) {
      const replay = running.get(id);
      if (!replay) throw new HubError("not_found", `no replay "${id}" is running`);
      replay.cancelling.abort(new HubError("conflict", "the replay was cancelled"));
    },
  };
}

// Only for the time of the replay.
const UNSAVED_ID = "not-saved";

function readUnsaved(tried: Exclude<TriedRule, { id: string }>, reader: RuleReader): GoodVersion {
  const { shape } = reader;
  const text = "text" in tried ? tried.text : textOf({ ...tried.rule, id: UNSAVED_ID }, { shape });
  const { good, problems } = reader.read(text, { id: UNSAVED_ID });
  if (!good) throw refusalOf(problems);
  return good;
}
