// The areas of the house. A device's area is the id of an area, or any text its plugin sent that is no other spelling of one. Such an
// area exists as long as a device names it; it is stored once a person makes or names it.
import type { Database } from "bun:sqlite";
import { HubError } from "../../kit/schema/errors.ts";
import { checkId, idFromName, isValidId, readGivenName } from "../../kit/schema/ids.ts";
import { allCalled, type Called, oneCalled } from "../../kit/text/called.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { readEach, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { Collection, type Crud, idTaken, notFound } from "./collection.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

export interface Area {
  id: string;
  /** The id itself until a person gives a name. */
  name: string;
  /** The number of devices in it. */
  devices: number;
  /** A person made or named it; otherwise it disappears with its last device. */
  declared: boolean;
}

export interface NewArea {
  name: string;
  /** Made from the name when absent. */
  id?: string;
}

export interface AreasOptions {
  db: Pick<StateDb, "durable" | "faults">;
  registry: Pick<Registry, "list" | "edit">;
  clock: Clock;
}

const MAX_AREAS = 1000;

export function openAreas(options: AreasOptions): Areas {
  return new Areas(options);
}

export class Areas implements Crud<Area, NewArea, { name: string }> {
  readonly #db: Database;
  readonly #registry: AreasOptions["registry"];
  readonly #clock: Clock;
  /** The names of the declared areas. */
  readonly #names = new Collection<string>("area", { most: MAX_AREAS });

  constructor({ db: { durable, faults }, registry, clock }: AreasOptions) {
    this.#db = durable;
    this.#registry = registry;
    this.#clock = clock;
    const rows = durable.query<{ id: string; name: string }, []>("SELECT id, name FROM areas").all();
    const read = ({ id, name }: { id: string; name: string }) => [textIn(id, "id"), textIn(name, "name")] as const;
    for (const [id, name] of readEach(rows, read, { faults, table: "areas", keyOf: ({ id }) => id }))
      this.#names.set(id, name);
  }

  /** Sorted by name. */
  list(): Area[] {
    const counts = new Map(this.#names.ids().map((id) => [id, 0]));
    for (const { area } of this.#registry.list()) if (area !== undefined) counts.set(area, (counts.get(area) ?? 0) + 1);
    return [...counts]
      .map(([id, devices]) => this.#areaOf(id, devices))
      .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  }

  /** Declared, or named by a device. */
  has(id: string): boolean {
    return this.#names.has(id) || Iterator.from(this.#registry.list()).some(({ area }) => area === id);
  }

  /**
   * The id of the area that is meant: one that is there by its id or name in any spelling, else the text itself, a new one.
   * Throws HubError `conflict` where it means several.
   */
  idOf(text: string): string {
    return oneCalled("area", this.#called(), text)?.id ?? (text.trim() || text);
  }

  /** As `idOf`, for whom nobody could ask: of several, the first. */
  likelyIdOf(text: string): string {
    return allCalled(this.#called(), text)[0]?.id ?? text;
  }

  /** Of a declared area. */
  nameOf(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#names.find(id);
  }

  get(id: string): Area {
    const area = this.#areaOf(id, this.#devicesIn(id).length);
    if (!area.declared && area.devices === 0) throw notFound("area", id);
    return area;
  }

  /** Also declares an area that exists only because devices name it. */
  create({ name: given, id: givenId }: NewArea): Area {
    const name = readGivenName(given);
    if (givenId !== undefined) checkId(givenId);
    const id = givenId ?? this.#idFor(name);
    if (this.#names.has(id)) throw idTaken(id);
    return this.#save(id, name);
  }

  edit(id: string, edit: { name: string }): Area {
    const name = readGivenName(edit.name);
    const area = this.get(id);
    return area.declared && area.name === name ? area : this.#save(id, name);
  }

  /** Removes it from its devices as well. */
  remove(id: string): void {
    this.get(id);
    // The devices first: if the disk fills up meanwhile, the area still exists and can be removed again.
    for (const device of this.#devicesIn(id)) this.#registry.edit(device.id, { area: null });
    if (this.#names.has(id)) this.#db.query("DELETE FROM areas WHERE id = ?").run(id);
    this.#names.delete(id);
  }

  /** That of the area that is called so already, in whatever spelling: there must not be a second "Attic". */
  #idFor(name: string): string {
    const id = allCalled(this.#called(), name)[0]?.id ?? idFromName(name);
    if (isValidId(id)) return id;
    throw new HubError("invalid", "no id can be made from this name: give one as well, such as area_1");
  }

  /** Sorted by id. */
  #called(): Called[] {
    const ids = new Set(this.#names.ids());
    for (const { area } of this.#registry.list()) if (area !== undefined) ids.add(area);
    return [...ids].sort().map((id) => ({ id, name: this.#names.find(id) ?? id }));
  }

  #save(id: string, name: string): Area {
    this.#names.checkLimits(id);
    this.#db
      .query(
        "INSERT INTO areas (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
      )
      .run(id, name, this.#clock.now());
    this.#names.set(id, name);
    return this.get(id);
  }

  #devicesIn(id: string): Device[] {
    return [...this.#registry.list()].filter(({ area }) => area === id);
  }

  #areaOf(id: string, devices: number): Area {
    const name = this.#names.find(id);
    return { id, name: name ?? id, devices, declared: name !== undefined };
  }
}
