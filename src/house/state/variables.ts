// The hub's variables: any JSON value by name, for people and rules. Values are frozen: no reader can change them.
import type { Database } from "bun:sqlite";
import { type DiskBudget, startWriteBehind, type WriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { deepFreeze, type Json, jsonEqual } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { jsonIn, numberIn, readEach, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import { Collection } from "./collection.ts";
import { checkVariableName, readVariableValue } from "./variable-value.ts";

export interface Variable {
  readonly name: string;
  /** Frozen. */
  readonly value: Json;
  /** Epoch ms of the last write that changed it. */
  readonly updatedAt: number;
}

export interface VariablesOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  flushSecs: number;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget;
}

interface Held extends Variable {
  bytes: number;
  /** Its value was written durably, or was read from disk. */
  durable: boolean;
}

// All are held in memory, and a Raspberry Pi has little: so many of the largest size would take 640 MiB.
const LIMITS = { most: 10_000, maxBytes: 16 * 1_048_576 };

export function openVariables(options: VariablesOptions): Variables {
  return new Variables(options);
}

export class Variables implements Disposable {
  readonly #clock: Clock;
  readonly #emit: (event: HubEvent) => void;
  readonly #store: VariableStore;
  readonly #variables = new Collection<Held>("variable", LIMITS);
  /** Names. */
  readonly #unwritten: WriteBehind<string>;
  #written = 0;

  constructor({ db, clock, log, emit, flushSecs, budget }: VariablesOptions) {
    this.#clock = clock;
    this.#emit = emit;
    this.#store = createVariableStore(db);
    for (const row of this.#store.load()) {
      const bytes = Buffer.byteLength(JSON.stringify(row.value));
      const held = { ...row, value: deepFreeze(row.value), bytes, durable: true };
      this.#variables.set(row.name, Object.freeze(held), bytes);
    }
    this.#unwritten = startWriteBehind({
      clock,
      log,
      periodMs: flushSecs * 1000,
      write: (names) => this.#store.saveRelaxed([...names].flatMap((name) => this.#variables.find(name) ?? [])),
      what: "what rules set variables to",
      ...(budget && { budget }),
      trouble: db.trouble,
    });
  }

  /** Sorted by name. */
  list(): Variable[] {
    return this.#variables.list().sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Throws HubError `not_found`. */
  get(name: string): Variable {
    return this.#variables.get(name);
  }

  has(name: string): boolean {
    return this.#variables.has(name);
  }

  /**
   * Every write emits an event; a new value is also written to disk: before it returns, or with `deferred` in the next batch,
   * which a power cut may lose. Throws HubError `invalid`, `too_large`, or `conflict` where a limit is reached.
   */
  set(name: string, given: unknown, { deferred = false }: { deferred?: boolean } = {}): Variable {
    const held = this.#variables.find(name);
    if (!held) checkVariableName(name);
    const { value, bytes } = readVariableValue(given);
    this.#variables.checkLimits(name, bytes);
    const next = this.#update(held, { name, value, bytes, updatedAt: this.#clock.now(), durable: !deferred });
    this.#emit({ type: "hub_variable_changed", name, value: next.value, previous_value: held?.value ?? null });
    return next;
  }

  /** Durable when it returns; the event reports a write of null. Throws HubError `not_found`. */
  remove(name: string): void {
    const held = this.#variables.get(name);
    this.#store.remove(name);
    this.#unwritten.forget(name);
    this.#variables.delete(name);
    this.#emit({ type: "hub_variable_changed", name, value: null, previous_value: held.value });
  }

  /** How often one got another value. Only grows. */
  written(): number {
    return this.#written;
  }

  /** Writes now what was set with `deferred`; what cannot be written is retried. */
  flush(): void {
    this.#unwritten.flush();
  }

  [Symbol.dispose](): void {
    this.#unwritten[Symbol.dispose]();
  }

  #update(held: Held | undefined, next: Held): Held {
    if (!held || !jsonEqual(held.value, next.value)) return this.#write(next);
    // The same value, but so far it was only written behind.
    return next.durable && !held.durable ? this.#write({ ...held, durable: true }) : held;
  }

  #write(next: Held): Held {
    this.#written++;
    if (next.durable) {
      this.#store.save(next);
      this.#unwritten.forget(next.name);
    } else this.#unwritten.mark(next.name);
    this.#variables.set(next.name, Object.freeze(next), next.bytes);
    return next;
  }
}

interface VariableStore {
  load(): Variable[];
  /** Durable when it returns. */
  save(variable: Variable): void;
  /** One transaction for all of them; synced at the next checkpoint. */
  saveRelaxed(variables: Iterable<Variable>): void;
  remove(name: string): void;
}

interface Row {
  name: string;
  value: string;
  updated_at: number;
}

function createVariableStore({ durable, relaxed, faults }: StateDb): VariableStore {
  const remove = durable.query("DELETE FROM variables WHERE name = ?");
  const saveNow = writer(durable);
  return {
    load() {
      const rows = durable.query<Row, []>("SELECT name, value, updated_at FROM variables");
      return readEach(rows.all(), fromRow, { faults, table: "variables", keyOf: ({ name }) => name });
    },
    save: (variable) => saveNow([variable]),
    saveRelaxed: writer(relaxed),
    remove: (name) => void remove.run(name),
  };
}

function fromRow({ name, value, updated_at }: Row): Variable {
  return { name: textIn(name, "name"), value: jsonIn(value, "value") as Json, updatedAt: numberIn(updated_at, 0) };
}

function writer(db: Database): VariableStore["saveRelaxed"] {
  const upsert = db.query(
    `INSERT INTO variables (name, value, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  return db.transaction((variables: Iterable<Variable>) => {
    for (const { name, value, updatedAt } of variables) upsert.run(name, JSON.stringify(value), updatedAt);
  }).immediate;
}
