// The areas of the house. A device's area is an area's id, or whatever text its plugin said: such an area is there as
// long as a device names it, and is stored once a person makes it or gives it a name.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { idFromName, isValidId } from "../core/ids.ts";
import { readEach, textIn } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";
import type { Device } from "./device.ts";
import { givenName } from "./given-name.ts";
import type { Registry } from "./registry.ts";

export interface Area {
  id: string;
  /** The id itself until a person gives a name. */
  name: string;
  /** How many are in it. */
  devices: number;
  /** A person made or named it; otherwise it is gone with its last device. */
  declared: boolean;
}

/** Throws HubError: `not_found`, `invalid`, or `conflict` for an id that is taken. */
export interface Areas {
  /** Sorted by name. */
  list(): Area[];
  get(id: string): Area;
  has(id: string): boolean;
  /** Without an id, it is made from the name. What devices name already becomes declared. */
  create(area: { name: string; id?: string }): Area;
  edit(id: string, edit: { name: string }): Area;
  /** Takes it away from its devices as well. */
  remove(id: string): void;
}

export interface AreasOptions {
  db: Pick<StateDb, "durable" | "faults">;
  registry: Pick<Registry, "list" | "edit">;
  clock: Clock;
}

// They are held in memory, and people know no more by name.
const MOST_AREAS = 1000;

export function openAreas({ db: { durable, faults }, registry, clock }: AreasOptions): Areas {
  const rows = durable.query<{ id: string; name: string }, []>("SELECT id, name FROM areas").all();
  const read = ({ id, name }: { id: string; name: string }) => [textIn(id, "id"), textIn(name, "name")] as const;
  const names = new Map(readEach(rows, read, { faults, table: "areas", keyOf: ({ id }) => id }));
  const save = durable.query(
    "INSERT INTO areas (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
  );
  const forget = durable.query("DELETE FROM areas WHERE id = ?");

  const devicesIn = (id: string): Device[] => [...registry.list()].filter(({ area }) => area === id);
  const areaOf = (id: string, devices: number): Area => ({
    id,
    name: names.get(id) ?? id,
    devices,
    declared: names.has(id),
  });

  function get(id: string): Area {
    const area = areaOf(id, devicesIn(id).length);
    if (!area.declared && area.devices === 0) throw new HubError("not_found", `there is no area "${id}"`);
    return area;
  }

  function declare(id: string, name: string): Area {
    if (!names.has(id) && names.size >= MOST_AREAS)
      throw new HubError("conflict", `there are ${MOST_AREAS} areas: remove some`);
    save.run(id, name, clock.now());
    names.set(id, name);
    return get(id);
  }

  /** The area that devices name just so, if there is one: the house has no second "Attic". */
  function idFor(name: string): string {
    return devicesIn(name).length > 0 ? name : idFromName(name);
  }

  return {
    list() {
      const counts = new Map([...names.keys()].map((id) => [id, 0]));
      for (const { area } of registry.list()) if (area !== undefined) counts.set(area, (counts.get(area) ?? 0) + 1);
      return [...counts]
        .map(([id, devices]) => areaOf(id, devices))
        .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
    },
    get,
    has: (id) => names.has(id) || Iterator.from(registry.list()).some(({ area }) => area === id),
    create({ name: text, id: given }) {
      const name = givenName(text);
      const id = given ?? idFor(name);
      if (!isValidId(id)) throw new HubError("invalid", badId(given));
      if (names.has(id)) throw new HubError("conflict", `there is an area "${id}" already; choose another id`);
      return declare(id, name);
    },
    edit(id, { name: text }) {
      const name = givenName(text);
      const area = get(id);
      return area.declared && area.name === name ? area : declare(id, name);
    },
    remove(id) {
      get(id);
      // The devices first: should the disk fill up on the way, the area is still there to be removed again.
      for (const device of devicesIn(id)) registry.edit(device.id, { area: null });
      if (names.has(id)) forget.run(id);
      names.delete(id);
    },
  };
}

function badId(given: string | undefined): string {
  return given === undefined
    ? "no id can be made from this name: give one as well, such as area_1"
    : "id: must have 1 to 255 characters without / + # or control characters, and not start with $";
}
