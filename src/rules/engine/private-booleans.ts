// Booleans that each rule has for itself. All are in memory; a change is written at once, since there are few. Those of rules
// that are gone are deleted at the next start.
import { messageOf } from "../../kit/schema/errors.ts";
import type { PrivateBooleans } from "../model/define.ts";
import type { RuleStoreOptions } from "./store.ts";

export interface BooleanStore {
  of(ruleId: string): PrivateBooleans;
  /** Deletes those of unknown rules. */
  forget(known: (ruleId: string) => boolean): void;
}

interface Row {
  rule_id: string;
  name: string;
  value: number;
}

export function openBooleanStore({ db, log }: Pick<RuleStoreOptions, "db" | "log">): BooleanStore {
  const { durable, relaxed, trouble } = db;
  const upsert = relaxed.query(
    `INSERT INTO rule_booleans (rule_id, name, value) VALUES ($rule_id, $name, $value)
     ON CONFLICT (rule_id, name) DO UPDATE SET value = excluded.value`,
  );
  const remove = relaxed.query("DELETE FROM rule_booleans WHERE rule_id = ?");
  const values = new Map<string, Map<string, boolean>>();
  for (const { rule_id, name, value } of durable.query<Row, []>("SELECT * FROM rule_booleans").all())
    namesOf(rule_id).set(name, value === 1);

  function namesOf(ruleId: string): Map<string, boolean> {
    const names = values.get(ruleId) ?? new Map<string, boolean>();
    values.set(ruleId, names);
    return names;
  }

  /** What cannot be written takes effect all the same: rules run the house whatever the disk is like. */
  function written(write: () => void): void {
    try {
      write();
    } catch (error) {
      trouble.note(error);
      log.error("a private boolean of a rule cannot be written; it is lost at the next restart", {
        error: messageOf(error),
      });
    }
  }

  return {
    of: (ruleId) => ({
      get: (name) => values.get(ruleId)?.get(name) ?? false,
      set(name, value) {
        if (values.get(ruleId)?.get(name) === value) return;
        namesOf(ruleId).set(name, value);
        written(() => void upsert.run({ rule_id: ruleId, name, value: Number(value) }));
      },
    }),
    forget(known) {
      for (const ruleId of [...values.keys()]) {
        if (known(ruleId)) continue;
        values.delete(ruleId);
        written(() => void remove.run(ruleId));
      }
    },
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
