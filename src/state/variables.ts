// The hub's variables: any JSON by name, for people and rules. What is held is frozen: no reader can change it.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { type Json, jsonEqual } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { type DiskBudget, startWriteBehind } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import type { HubEvent } from "../events/catalog.ts";
import { frozen } from "./frozen.ts";
import { createVariableStore, type VariableRow } from "./variables-store.ts";
import { checkVariableName, readVariableValue } from "./variables-value.ts";

export interface Variable {
  readonly name: string;
  /** Frozen. */
  readonly value: Json;
  /** Epoch ms of the last write that changed it. */
  readonly updatedAt: number;
}

export interface Variables extends Disposable {
  /** Sorted by name. */
  list(): Variable[];
  /** Throws HubError `not_found`. */
  get(name: string): Variable;
  has(name: string): boolean;
  /**
   * Tells every write, and puts on disk what is new: before it returns, or with `behind` among the next batch, which a
   * power cut may take. Throws HubError `invalid`, `too_large`, or `conflict` where there is no room for more.
   */
  set(name: string, value: unknown, options?: { behind?: boolean }): Variable;
  /** Durable when it returns; told as a write of null. Throws HubError `not_found`. */
  remove(name: string): void;
}

export interface VariablesOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  flushSecs: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
}

interface Held extends Variable {
  bytes: number;
  /** Its value went to disk, or came from there, otherwise than behind. */
  durable: boolean;
}

const MOST_VARIABLES = 10_000;
// All are held in memory, and a Pi has little: so many of the largest size would take 640 MiB.
const MOST_BYTES = 16 * 1024 * 1024;

export function openVariables({ db, clock, log, emit, flushSecs, budget }: VariablesOptions): Variables {
  const store = createVariableStore(db);
  const variables = new Map(store.load().map((row) => [row.name, restored(row)]));
  let bytesHeld = 0;
  for (const { bytes } of variables.values()) bytesHeld += bytes;
  const unwritten = startWriteBehind<string>({
    clock,
    log,
    periodMs: flushSecs * 1000,
    write: (names) => store.saveBehind([...names].flatMap((name) => variables.get(name) ?? [])),
    what: "what rules set variables to",
    ...(budget && { budget }),
    trouble: db.trouble,
  });

  function get(name: string): Held {
    const held = variables.get(name);
    if (!held) throw new HubError("not_found", `there is no variable "${name}"`);
    return held;
  }

  function checkRoom(held: Held | undefined, bytes: number): void {
    if (!held && variables.size >= MOST_VARIABLES) {
      throw new HubError("conflict", `there are ${MOST_VARIABLES} variables, and no more are kept: remove some`);
    }
    const more = bytes - (held?.bytes ?? 0);
    if (more > 0 && bytesHeld + more > MOST_BYTES) {
      throw new HubError("conflict", `all variables together may hold ${MOST_BYTES} bytes of JSON: remove some`);
    }
  }

  function write(next: Held): Held {
    if (next.durable) {
      store.save(next);
      unwritten.forget(next.name);
    } else unwritten.mark(next.name);
    bytesHeld += next.bytes - (variables.get(next.name)?.bytes ?? 0);
    variables.set(next.name, Object.freeze(next));
    return next;
  }

  function keep(held: Held | undefined, next: Held): Held {
    if (!held || !jsonEqual(held.value, next.value)) return write(next);
    // The same value, but so far it is only promised to the disk.
    return next.durable && !held.durable ? write({ ...held, durable: true }) : held;
  }

  return {
    list: () => [...variables.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    get,
    has: (name) => variables.has(name),
    set(name, given, { behind = false } = {}) {
      const held = variables.get(name);
      if (!held) checkVariableName(name);
      const { value, bytes } = readVariableValue(given);
      checkRoom(held, bytes);
      const kept = keep(held, { name, value, bytes, updatedAt: clock.now(), durable: !behind });
      emit({ type: "hub_variable_changed", name, value: kept.value, previous_value: held?.value ?? null });
      return kept;
    },
    remove(name) {
      const held = get(name);
      store.remove(name);
      unwritten.forget(name);
      variables.delete(name);
      bytesHeld -= held.bytes;
      emit({ type: "hub_variable_changed", name, value: null, previous_value: held.value });
    },
    [Symbol.dispose]: () => unwritten[Symbol.dispose](),
  };
}

function restored(row: VariableRow): Held {
  const bytes = Buffer.byteLength(JSON.stringify(row.value));
  return Object.freeze({ ...row, value: frozen(row.value), bytes, durable: true });
}
