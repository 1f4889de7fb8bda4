// What runs have done that must not be done again. A run that was killed goes on at the last place that is on disk, and does again
// what came after it. An effect that is itself in the state database is recorded in the commit of that effect, under the run and
// its place in it, until the run is over. So nothing has to be written before such an action.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import { lazy } from "../../../kit/time/lazy.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Once } from "../../model/define.ts";
import type { Run } from "../entry.ts";
import type { ActionPosition, ListPosition } from "./position.ts";
import type { RunKeeper } from "./run-keeper.ts";

export interface Effects extends Disposable {
  /** For the action at this position of the run, in this turn of its loops. */
  once(run: Run, action: ActionPosition): Once | undefined;
  /** The run is over. */
  over(run: Run): void;
}

export interface EffectsOptions {
  db: Pick<StateDb, "own" | "relaxed" | "trouble">;
  clock: Clock;
  log: Log;
  keeper: Pick<RunKeeper, "isKept" | "isStored" | "flushRun">;
  /** All runs that are not over. */
  running: () => Iterable<Run>;
}

/** Where an action is: the same for all turns of the loops around it, which are counted apart. */
interface Place {
  readonly name: string;
  readonly turns: readonly number[];
}

// That a run is over is written behind: with the power it may be lost, and the run goes on.
const KEPT_MS = 5 * 60_000;

export function openEffects({ db, clock, log, keeper, running }: EffectsOptions): Effects {
  const put = lazy(() => db.own.query("INSERT OR REPLACE INTO rule_run_effects (run, place, turns) VALUES (?, ?, ?)"));
  const last = lazy(() =>
    db.own.query<{ turns: string }, [string, string]>("SELECT turns FROM rule_run_effects WHERE run = ? AND place = ?"),
  );
  /** Runs with rows, those of earlier processes too; known with the first effect. */
  let recorded: Set<string> | undefined;
  let [ended, before]: [Set<string>, Set<string>] = [new Set(), new Set()];
  let timer: Timer | undefined;

  function known(): Set<string> {
    if (recorded) return recorded;
    const rows = db.own.query<{ run: string }, []>("SELECT DISTINCT run FROM rule_run_effects").all();
    recorded = new Set(rows.map(({ run }) => run));
    const live = new Set([...running()].map(nameOf));
    for (const run of recorded) if (!live.has(run)) removeLater(run);
    return recorded;
  }

  function removeLater(run: string): void {
    ended.add(run);
    timer ??= clock.after("rules: effects of runs", KEPT_MS, removeOld);
  }

  function removeOld(): void {
    try {
      const remove = db.relaxed.query("DELETE FROM rule_run_effects WHERE run = ?");
      db.relaxed.transaction(() => {
        for (const run of before) remove.run(run);
      })();
      for (const run of before) recorded?.delete(run);
      [before, ended] = [ended, new Set()];
    } catch (error) {
      db.trouble.note(error);
      log.debug("effects of runs that are over are not removed yet", { error: String(error) });
    }
    timer = before.size > 0 ? clock.after("rules: effects of runs", KEPT_MS, removeOld) : undefined;
  }

  function happened(run: string, { name, turns }: Place): boolean {
    const row = last().get(run, name);
    const read = parseJson(row?.turns ?? "");
    if (!row || !read.ok || !Array.isArray(read.value)) return false;
    // Turns come in their order, so one that is not later was made, or was left out, before the hub was killed.
    const done = read.value.map(Number);
    const differs = turns.findIndex((turn, at) => turn !== done[at]);
    return differs < 0 || (turns[differs] ?? 0) < (done[differs] ?? 0);
  }

  return {
    once(run, action) {
      // If only the run that waits for this one were on disk, it would begin this one again, under another id.
      if (run.parent && !keeper.isStored(run)) keeper.flushRun(run);
      if (!keeper.isKept(run) && run.hold === undefined) return undefined;
      const place = placeOf(run.position, action);
      if (!place) return undefined;
      const name = nameOf(run);
      return {
        happened: (run.restored || run.hold !== undefined) && happened(name, place),
        record() {
          known().add(name);
          put().run(name, place.name, JSON.stringify(place.turns));
        },
      };
    },
    over(run) {
      const name = nameOf(run);
      if (recorded?.has(name)) removeLater(name);
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

/** A hold that was fulfilled just before a kill is fulfilled again: its run has another id. */
function nameOf({ hold, trace }: Run): string {
  return hold ?? trace.id;
}

function placeOf(list: ListPosition, wanted: ActionPosition): Place | undefined {
  const { at, action } = list;
  if (!action) return undefined;
  if (action === wanted) return { name: String(at), turns: [] };
  const { progress, loops = false } = action;
  for (const [slot, inner] of action.lists ?? []) {
    const found = placeOf(inner, wanted);
    if (!found) continue;
    const own = loops || progress === undefined ? "" : `=${JSON.stringify(progress)}`;
    const turns = loops ? [Number(progress), ...found.turns] : found.turns;
    return { name: `${at}${own}/${slot}.${found.name}`, turns };
  }
  return undefined;
}
