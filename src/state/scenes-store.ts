// Scenes on disk, written at once: a person made them.
import { isObject } from "../core/json.ts";
import { numberIn, objectIn, readEach, textIn } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";
import { frozen } from "./frozen.ts";
import type { SceneStates } from "./scenes-states.ts";

export interface Scene {
  readonly id: string;
  readonly name: string;
  readonly states: SceneStates;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SceneStore {
  load(): Scene[];
  /** Durable when it returns. */
  save(scene: Scene): void;
  remove(id: string): void;
}

interface Row {
  id: string;
  name: string;
  states: string;
  created_at: number;
  updated_at: number;
}

export function createSceneStore({ durable, faults }: Pick<StateDb, "durable" | "faults">): SceneStore {
  const upsert = durable.query(
    `INSERT INTO scenes (id, name, states, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, states = excluded.states, updated_at = excluded.updated_at`,
  );
  const remove = durable.query("DELETE FROM scenes WHERE id = ?");
  return {
    load() {
      const rows = durable.query<Row, []>("SELECT * FROM scenes ORDER BY created_at, id");
      return readEach(rows.all(), fromRow, { faults, table: "scenes", keyOf: ({ id }) => id });
    },
    save: ({ id, name, states, createdAt, updatedAt }) =>
      void upsert.run(id, name, JSON.stringify(states), createdAt, updatedAt),
    remove: (id) => void remove.run(id),
  };
}

function fromRow({ id, name, states, created_at, updated_at }: Row): Scene {
  return frozen({
    id: textIn(id, "id"),
    name: textIn(name, "name"),
    states: statesIn(states),
    createdAt: numberIn(created_at, 0),
    updatedAt: numberIn(updated_at, 0),
  });
}

function statesIn(text: string): SceneStates {
  const states = objectIn(text, "states");
  if (Object.values(states).every(isObject)) return states as SceneStates;
  throw new TypeError("states holds what is no command");
}
