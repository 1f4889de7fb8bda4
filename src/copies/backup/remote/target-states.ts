// What is known of each target, in `data/backup-targets.json`: a restart asks nobody again how the copies are.
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { parseJson } from "../../../kit/schema/json.ts";

const time = Type.Union([Type.String(), Type.Null()]);

const TargetState = Type.Object({
  /** UTC, as all times here: when it was configured, as far as the hub knows. */
  since: Type.String(),
  /** When everything was there the last time. */
  last_success: time,
  failing_since: time,
  problem: time,
  /** When a copy was fetched, decrypted and checked as a whole, and which. */
  checked_at: time,
  checked_copy: time,
  /** Why that failed. */
  check_problem: time,
  copies: Type.Array(
    Type.Object({ name: Type.String(), at: Type.String(), bytes: Type.Number(), encrypted: Type.Boolean() }),
  ),
  /** Names of copies that were read back, with the time. */
  verified: Type.Record(Type.String(), Type.String()),
  /** The copy that was made last. */
  newest: time,
  /** Other hubs that save this house there. */
  others: Type.Array(Type.String()),
  known: Type.Object({ hostKey: Type.Optional(Type.String()), isMarked: Type.Optional(Type.Boolean()) }),
});
export type TargetState = Static<typeof TargetState>;

const StoredStates = Type.Object({
  /** This hub, in the names of its copies. */
  hub: Type.String({ pattern: "^[a-z2-9]{6}$" }),
  targets: Type.Record(Type.String(), TargetState),
});

export interface TargetStates {
  readonly hub: string;
  /** Its state, which the caller changes and then saves. `key`: what identifies the target. */
  of(key: string): TargetState;
  /** Throws where it cannot be written. */
  save(): void;
}

/** States of targets that are not named any more are forgotten with the next one that is saved. */
export function openTargetStates(
  file: string,
  { keys, newTag, now }: { keys: readonly string[]; newTag: () => string; now: () => string },
): TargetStates {
  const stored = read(file) ?? { hub: newTag(), targets: {} };
  const targets = new Map(keys.map((key) => [key, stored.targets[key] ?? newState(now())]));
  return {
    hub: stored.hub,
    of(key) {
      const state = targets.get(key) ?? newState(now());
      targets.set(key, state);
      return state;
    },
    save() {
      const text = JSON.stringify({ hub: stored.hub, targets: Object.fromEntries(targets) });
      writeFileAtomic(file, `${text}\n`, 0o600);
    },
  };
}

function newState(since: string): TargetState {
  return {
    since,
    last_success: null,
    failing_since: null,
    problem: null,
    checked_at: null,
    checked_copy: null,
    check_problem: null,
    copies: [],
    verified: {},
    newest: null,
    others: [],
    known: {},
  };
}

function read(file: string): Static<typeof StoredStates> | undefined {
  try {
    const parsed = parseJson(readFileSync(file, "utf8"));
    return parsed.ok && Value.Check(StoredStates, parsed.value) ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}
