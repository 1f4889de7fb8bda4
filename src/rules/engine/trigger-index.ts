// Which triggers an event concerns: by type, then by device or another field. What an event costs is what it may set off,
// not how many rules there are.
import type { Envelope } from "../../events/feed.ts";
import type { Interest } from "../define.ts";
import { interestsOf, type TriggerRef } from "./entry.ts";
import type { Listening } from "./listening.ts";

export interface TriggerIndex {
  add(ref: TriggerRef): void;
  remove(ref: TriggerRef): void;
  /** In the order of evaluation, each once. The list is not to be changed. */
  concerned(envelope: Envelope): readonly TriggerRef[];
}

interface Shelf {
  readonly listening: Disposable;
  /** Those that look at every event of the type. */
  all: TriggerRef[];
  /** Field → value → those that look at events with this value there. */
  readonly fields: Map<string, Map<string, TriggerRef[]>>;
  size: number;
}

const NONE: readonly TriggerRef[] = [];

export function createTriggerIndex(listening: Pick<Listening, "need">): TriggerIndex {
  const shelves = new Map<string, Shelf>();

  function shelfOf(type: string): Shelf {
    const shelf = shelves.get(type) ?? { listening: listening.need(type), all: [], fields: new Map(), size: 0 };
    shelves.set(type, shelf);
    return shelf;
  }

  return {
    add(ref) {
      for (const interest of interestsOf(ref)) {
        const shelf = shelfOf(interest.event);
        if (insert(listFor(shelf, placeOf(interest)), ref)) shelf.size++;
      }
    },
    remove(ref) {
      for (const interest of interestsOf(ref)) {
        const shelf = shelves.get(interest.event);
        if (!shelf || !take(shelf, placeOf(interest), ref) || --shelf.size > 0) continue;
        shelf.listening[Symbol.dispose]();
        shelves.delete(interest.event);
      }
    },
    concerned(envelope) {
      const shelf = shelves.get(envelope.type);
      if (!shelf) return NONE;
      let found: readonly TriggerRef[] = shelf.all;
      for (const [field, values] of shelf.fields) {
        const value = (envelope.event as Record<string, unknown>)[field];
        const more = typeof value === "string" ? values.get(value) : undefined;
        if (more) found = found.length === 0 ? more : merge(found, more);
      }
      return found;
    },
  };
}

type Place = { field: string; value: string } | undefined;

function placeOf({ deviceId, where }: Interest): Place {
  return deviceId === undefined ? where : { field: "device_id", value: deviceId };
}

function listFor(shelf: Shelf, place: Place): TriggerRef[] {
  if (!place) return shelf.all;
  const values = shelf.fields.get(place.field) ?? new Map<string, TriggerRef[]>();
  shelf.fields.set(place.field, values);
  const list = values.get(place.value) ?? [];
  values.set(place.value, list);
  return list;
}

function take(shelf: Shelf, place: Place, ref: TriggerRef): boolean {
  const values = place && shelf.fields.get(place.field);
  const list = place ? values?.get(place.value) : shelf.all;
  const at = list?.indexOf(ref) ?? -1;
  if (!list || at < 0) return false;
  list.splice(at, 1);
  if (place && values && list.length === 0) {
    values.delete(place.value);
    if (values.size === 0) shelf.fields.delete(place.field);
  }
  return true;
}

/** Higher priority first, then by name and id; the triggers of one rule in their own order. */
function compare(a: TriggerRef, b: TriggerRef): number {
  const [ruleA, ruleB] = [a.entry.rule, b.entry.rule];
  return (
    ruleB.priority - ruleA.priority ||
    compareText(ruleA.name, ruleB.name) ||
    compareText(ruleA.id, ruleB.id) ||
    a.position - b.position
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** False when it stands there already: a device named twice. */
function insert(list: TriggerRef[], ref: TriggerRef): boolean {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as TriggerRef, ref) < 0) low = middle + 1;
    else high = middle;
  }
  if (list[low] === ref) return false;
  list.splice(low, 0, ref);
  return true;
}

function merge(a: readonly TriggerRef[], b: readonly TriggerRef[]): TriggerRef[] {
  const merged: TriggerRef[] = [];
  for (let atA = 0, atB = 0; atA < a.length || atB < b.length; ) {
    const [left, right] = [a[atA], b[atB]];
    const takeLeft = left !== undefined && (right === undefined || compare(left, right) <= 0);
    const next = (takeLeft ? left : right) as TriggerRef;
    if (takeLeft) atA++;
    else atB++;
    if (merged.at(-1) !== next) merged.push(next);
  }
  return merged;
}
