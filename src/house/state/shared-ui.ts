// What an administrator has chosen for everybody's page, by name: one JSON value each.
import { messageOf } from "../../kit/schema/errors.ts";
import { type RowFaults, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";

export interface SharedUi {
  /** Its JSON text, where there is one that `check` takes. */
  load(check: (text: string) => void): string | undefined;
  /** Durable when it returns. */
  save(text: string): void;
}

export function openSharedUi({ durable, faults }: Pick<StateDb, "durable" | "faults">, name: string): SharedUi {
  const read = durable.query<{ value: unknown }, [string]>("SELECT value FROM shared_ui WHERE name = ?");
  const write = durable.query(
    "INSERT INTO shared_ui (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    load: (check) => readable(read.get(name)?.value, check, { faults, table: "shared_ui", key: name }),
    save: (text) => void write.run(name, text),
  };
}

/** A text that `check` takes; undefined, and reported, where it is not what the hub wrote. */
export function readable(
  value: unknown,
  check: (text: string) => void,
  { faults, table, key }: { faults: RowFaults; table: string; key: string },
): string | undefined {
  if (value === undefined) return undefined;
  try {
    const text = textIn(value, "its value");
    check(text);
    return text;
  } catch (error) {
    faults.unreadable({ table, key, problem: `it is left out: ${messageOf(error)}` });
    return undefined;
  }
}
