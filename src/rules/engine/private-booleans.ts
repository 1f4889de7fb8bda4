// Booleans that each rule has for itself. All are in memory, and written behind; those of rules that are gone are deleted at the
// next start.
import { startWriteBehind } from "../../core/write-behind.ts";
import type { PrivateBooleans } from "../model/define.ts";
import type { RuleStoreOptions } from "./store.ts";

export interface BooleanStore extends Disposable {
  of(ruleId: string): PrivateBooleans;
  /** Deletes those of unknown rules. */
  forget(known: (ruleId: string) => boolean): void;
}

interface Row {
  rule_id: string;
  name: string;
  value: number;
}

export function openBooleanStore({ db, clock, log, flushMs, budget }: RuleStoreOptions): BooleanStore {
  const { durable, behind, trouble } = db;
  const upsert = behind.query(
    `INSERT INTO rule_booleans (rule_id, name, value) VALUES ($rule_id, $name, $value)
     ON CONFLICT (rule_id, name) DO UPDATE SET value = excluded.value`,
  );
  const remove = behind.query("DELETE FROM rule_booleans WHERE rule_id = ?");
  const values = new Map<string, Map<string, boolean>>();
  for (const { rule_id, name, value } of durable.query<Row, []>("SELECT * FROM rule_booleans").all())
    namesOf(rule_id).set(name, value === 1);

  function namesOf(ruleId: string): Map<string, boolean> {
    const names = values.get(ruleId) ?? new Map<string, boolean>();
    values.set(ruleId, names);
    return names;
  }

  const write = behind.transaction((ruleIds: Iterable<string>) => {
    for (const rule_id of ruleIds) {
      remove.run(rule_id);
      for (const [name, value] of values.get(rule_id) ?? []) upsert.run({ rule_id, name, value: Number(value) });
    }
  }).immediate;
  const unwritten = startWriteBehind<string>({
    ...{ clock, log, write, what: "the private booleans of rules", periodMs: flushMs, trouble },
    ...(budget && { budget }),
  });

  return {
    of: (ruleId) => ({
      get: (name) => values.get(ruleId)?.get(name) ?? false,
      set(name, value) {
        if (values.get(ruleId)?.get(name) === value) return;
        namesOf(ruleId).set(name, value);
        unwritten.mark(ruleId);
      },
    }),
    forget(known) {
      for (const ruleId of [...values.keys()]) {
        if (known(ruleId)) continue;
        values.delete(ruleId);
        unwritten.mark(ruleId);
      }
    },
    [Symbol.dispose]: () => unwritten[Symbol.dispose](),
  };
}

/** What is set here is known here alone: for runs without effects. */
export function overlaid(under?: PrivateBooleans): PrivateBooleans {
  const values = new Map<string, boolean>();
  return {
    get: (name) => values.get(name) ?? under?.get(name) ?? false,
    set: (name, value) => void values.set(name, value),
  };
}
