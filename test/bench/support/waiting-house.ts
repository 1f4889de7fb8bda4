// A real engine on a real database with the system's clock, whose only rules wait: for benchmarks of what waiting costs.
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { Engine } from "../../../src/rules/engine/engine.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { type Rule, readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { createHouse } from "../../rules/support/host.ts";

export interface WaitingHouse extends AsyncDisposable {
  readonly engine: Engine;
  /** How long it took until the engine was ready, with the runs that go on. */
  readonly readyMs: number;
  /** Fires every rule once. */
  fire(): void;
}

export interface StoredBytes {
  runs: number;
  /** Of a wait, which is written each time. */
  wait: number;
  /** Of what a run began with, which is written once. */
  begun: number;
}

/** Ids as long as the hub's own. */
export function waitingRules(count: number, more: object = {}): Rule[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `${String(at).padStart(8, "0")}-1111-4111-8111-111111111111`;
    const { rule } = readRule(
      {
        ...{ id, name: `Light ${at}`, trigger: { type: "custom_event", event_type: "clap" }, ...more },
        actions: [
          {
            type: "conditional",
            condition: "true",
            then_actions: [{ type: "repeat_count", count: 3, actions: [{ type: "delay", duration_secs: 3600 }] }],
          },
        ],
      },
      () => undefined,
    );
    if (!rule) throw new Error("the rule has problems");
    return rule;
  });
}

export function openWaitingHouse(folder: string, rules: readonly Rule[]): WaitingHouse {
  mkdirSync(folder, { recursive: true });
  const clock = systemClock;
  const db = openStateDb(join(folder, "state.redb"), clock.now);
  const feed = createEventFeed({ clock, log: silentLog, buffer: 10, mark: { load: () => 0, save() {} } });
  const begun = performance.now();
  const engine = new Engine({
    ...{ feed, clock, log: silentLog, db, evaluate: createRuleExpressions().evaluate },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    host: { ...createHouse(), now: clock.now, emit: feed.emit },
    vocabulary: { triggers, conditions, actions },
    config: { max_traces_mb: 24, max_running_mb: 64, late_secs: 86_400 },
  });
  for (const rule of rules) engine.put(rule);
  engine.ready();
  const readyMs = performance.now() - begun;
  return {
    engine,
    readyMs,
    fire: () => feed.emit({ type: "custom_clap" }),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      db[Symbol.dispose]();
    },
  };
}

export function storedBytes(folder: string): StoredBytes {
  using db = new Database(join(folder, "state.redb"), { readonly: true });
  const row = db
    .query<StoredBytes, []>(
      `SELECT count(*) AS runs, avg(length(id) + length(rule_id) + length(position)) AS wait,
        avg(length(begun) + length(vars)) AS begun FROM rule_runs`,
    )
    .get();
  if (!row) throw new Error("nothing is stored");
  return row;
}
