// What people call attributes of devices. Behind this, all of the hub has their names; the device's source goes on with its own, in
// both directions. A name that an attribute has had is never another's.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { Reading } from "../../../server/db/readings.ts";
import { readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Device, DeviceDetails } from "../device.ts";
import { propertiesIn } from "./senses.ts";

interface Names {
  /** Name → what its source calls it: present names and former ones. */
  readonly own: Map<string, string>;
  /** What its source calls it → its present name. */
  readonly present: Map<string, string>;
}

type Known = Pick<Device, "id" | "details" | "attributes">;

export class GivenByPeople {
  readonly #db: Pick<StateDb, "durable" | "relaxed" | "trouble">;
  readonly #known = new Map<string, Names>();

  constructor(db: Pick<StateDb, "durable" | "relaxed" | "faults" | "trouble">) {
    this.#db = db;
    const rows = db.durable.query<Record<"device_id" | "name" | "own", unknown>, []>(
      "SELECT device_id, name, own FROM attribute_names ORDER BY number",
    );
    const read = (row: Record<"device_id" | "name" | "own", unknown>) =>
      this.#put(textIn(row.device_id, "device_id"), textIn(row.name, "name"), textIn(row.own, "own"));
    readEach(rows.all(), read, { faults: db.faults, table: "attribute_names", keyOf: ({ device_id }) => device_id });
  }

  /** What its source calls the attribute that has this name, or had it. */
  ownOf(id: string, name: string): string {
    return this.#known.get(id)?.own.get(name) ?? name;
  }

  /** The name that an attribute has now that is, or was, called so. */
  presentOf(id: string, name: string): string {
    const names = this.#known.get(id);
    return names?.present.get(names.own.get(name) ?? "") ?? name;
  }

  /** Whether the name is, or was, given to an attribute. */
  isGiven(id: string, name: string): boolean {
    return this.#known.get(id)?.own.has(name) ?? false;
  }

  /** From now on, until the next start unless it is written. Returns what takes it back. */
  give(id: string, from: string, to: string): () => void {
    const before = this.#known.get(id);
    const own = this.ownOf(id, from);
    const names = { own: new Map(before?.own), present: new Map(before?.present) };
    this.#known.set(id, names);
    if (!names.own.has(from)) names.own.set(from, own);
    this.#put(id, to, own);
    return () => (before ? this.#known.set(id, before) : this.#known.delete(id));
  }

  /** The names of one attribute: into the transaction of whoever calls it. Throws what SQLite throws. */
  write(id: string, name: string, connection = this.#db.durable): void {
    const insert = connection.query(
      `INSERT OR REPLACE INTO attribute_names (device_id, name, own, number)
       SELECT $id, $name, $own, coalesce(max(number), 0) + 1 FROM attribute_names WHERE device_id = $id`,
    );
    const names = this.#known.get(id);
    const own = this.ownOf(id, name);
    const all = [...(names?.own ?? [])].filter(([one, of]) => of === own && one !== name).map(([one]) => one);
    for (const one of [...all, name]) insert.run({ id, name: one, own });
  }

  /** Former names → the present ones. */
  inPresent(id: string, values: JsonObject): JsonObject {
    return this.#turned(id, values, (name) => this.presentOf(id, name));
  }

  /** What is wanted of a device, as its source calls it. */
  inOwn(id: string, values: JsonObject): JsonObject {
    return this.#turned(id, values, (name) => this.ownOf(id, name));
  }

  /** What a device's source said, as the house calls it. */
  inHouse(device: Known, values: JsonObject): JsonObject {
    return this.#turned(device.id, values, (own) => this.#nameOf(device, own));
  }

  detailsInHouse(device: Known, details: DeviceDetails): DeviceDetails {
    return this.#details(device.id, details, (own) => this.#nameOf(device, own));
  }

  detailsInPresent(id: string, details: DeviceDetails): DeviceDetails {
    return this.#details(id, details, (name) => this.presentOf(id, name));
  }

  detailsInOwn(id: string, details: DeviceDetails): DeviceDetails {
    return this.#details(id, details, (name) => this.ownOf(id, name));
  }

  #put(id: string, name: string, own: string): void {
    const names = this.#known.get(id) ?? { own: new Map(), present: new Map() };
    this.#known.set(id, names);
    names.own.set(name, own);
    names.present.set(own, name);
  }

  /** What comes under a name that a person gave to another attribute gets one that nothing has, for ever. */
  #nameOf({ id, details, attributes }: Known, own: string): string {
    const names = this.#known.get(id);
    const present = names?.present.get(own);
    if (!names || present !== undefined) return present ?? own;
    if (!names.own.has(own)) return own;
    const described = propertiesIn(details.schema) ?? propertiesIn(details.capabilities) ?? {};
    const isUsed = (name: string) =>
      names.own.has(name) || Object.hasOwn(attributes, name) || Object.hasOwn(described, name);
    let number = 2;
    while (isUsed(`${own}_${number}`)) number++;
    const name = `${own}_${number}`;
    this.#put(id, name, own);
    try {
      this.write(id, name, this.#db.relaxed);
    } catch (error) {
      this.#db.trouble.note(error);
    }
    return name;
  }

  #turned(id: string, values: JsonObject, nameOf: (name: string) => string): JsonObject {
    if (!this.#known.has(id)) return values;
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]));
  }

  #details(id: string, details: DeviceDetails, nameOf: (name: string) => string): DeviceDetails {
    if (!this.#known.has(id)) return details;
    const { schema, capabilities } = details;
    return {
      ...details,
      ...(schema && { schema: renamedIn(schema, nameOf) }),
      ...(capabilities && { capabilities: renamedIn(capabilities, nameOf) }),
    };
  }
}

/** A JSON Schema of attributes. The words that were given (`words`) stay as the device's source calls them. */
function renamedIn(described: JsonObject, nameOf: (name: string) => string): JsonObject {
  const properties = propertiesIn(described);
  if (!properties) return described;
  const all = Object.entries(properties).map(([name, property]): [string, Json] => {
    const { of } = property;
    return [nameOf(name), isObject(property) && typeof of === "string" ? { ...property, of: nameOf(of) } : property];
  });
  const { required } = described;
  return {
    ...described,
    properties: Object.fromEntries(all),
    ...(Array.isArray(required) && {
      required: required.map((name) => (typeof name === "string" ? nameOf(name) : name)),
    }),
  };
}

/** What is known of it has the names that were given; returns what takes them back. */
export function takePresentNames(device: Device, given: GivenByPeople): () => void {
  const { details, attributes, lastChanged, unavailable } = device;
  Object.assign(device, inPresentNames(device, given));
  return () => void Object.assign(device, { details, attributes, lastChanged, unavailable });
}

/** One that names its attributes itself has another name for one; returns what takes it back. Its description is left to it. */
export function takeNewName(device: Device, from: string, to: string): () => void {
  const { attributes, lastChanged } = device;
  const renamed = <T>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name === from ? to : name, value]));
  Object.assign(device, { attributes: renamed(attributes), lastChanged: renamed(lastChanged) });
  return () => void Object.assign(device, { attributes, lastChanged });
}

/** What is known of it under former names has the present ones. */
function inPresentNames({ id, details, attributes, lastChanged, unavailable }: Device, given: GivenByPeople) {
  const times = given.inPresent(id, lastChanged) as Device["lastChanged"];
  // What is known under the present name is newer.
  const former = given.inPresent(id, attributes);
  const kept = Object.keys(attributes).filter((name) => given.presentOf(id, name) === name);
  const newer = Object.fromEntries(kept.map((name) => [name, attributes[name] ?? null]));
  const newerTimes = Object.fromEntries(
    kept.flatMap((name) => (lastChanged[name] === undefined ? [] : [[name, lastChanged[name]]])),
  );
  return {
    details: given.detailsInPresent(id, details),
    attributes: { ...former, ...newer },
    lastChanged: { ...times, ...newerTimes } as Device["lastChanged"],
    unavailable: unavailable.map((name) => given.presentOf(id, name)),
  };
}

/** The present value under its new name. The history has it already, under the former one. */
export function readingOfName(
  { id, attributes, lastChanged }: Device,
  { from, to, at }: { from: string; to: string; at: number },
): Reading {
  const value = attributes[to];
  const reading: Reading = { device: id, at: lastChanged[to] ?? at, gone: [from], unrecorded: true, retained: true };
  return value === undefined ? reading : { ...reading, set: { [to]: value } };
}
