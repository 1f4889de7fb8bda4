// Which events the engine listens to, and which triggers an event concerns: by type, then by device or another field. So an
// event costs only what it can trigger, however many rules there are, and one that nobody needs costs nothing.
import type { Envelope, EventFeed } from "../../../server/events/feed.ts";
import type { Interest } from "../../model/define.ts";
import type { HouseReads, RuleDevice } from "../../model/host.ts";
import type { FoundBy } from "../../model/targets.ts";
import { interestsOf, type TriggerRef } from "../entry.ts";

export interface Subscriptions extends Disposable {
  /** Listens to this event type until disposed. "*" is every event except `mqtt_message`. */
  need(type: string): Disposable;
}

export interface EventHandlers {
  onEvent(envelope: Envelope): void;
  /** Called for every event while "*" is needed. */
  onAnyEvent(): void;
}

interface Need {
  count: number;
  readonly subscription: Disposable;
}

/** Subscribes once to each event type that is needed, and to no others. */
export function createSubscriptions(feed: Pick<EventFeed, "on">, handlers: EventHandlers): Subscriptions {
  const needs = new Map<string, Need>();

  function subscribe(type: string): Need {
    const subscription =
      type === "*"
        ? feed.on("*", "rules", () => handlers.onAnyEvent())
        : feed.on(type as "system_started", "rules", (envelope: Envelope) => handlers.onEvent(envelope));
    const need = { count: 0, subscription };
    needs.set(type, need);
    return need;
  }

  return {
    need(type) {
      const need = needs.get(type) ?? subscribe(type);
      need.count++;
      let disposed = false;
      return {
        [Symbol.dispose]() {
          if (disposed) return;
          disposed = true;
          if (--need.count > 0) return;
          needs.delete(type);
          need.subscription[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      for (const { subscription } of needs.values()) subscription[Symbol.dispose]();
      needs.clear();
    },
  };
}

export interface TriggerIndex {
  add(ref: TriggerRef): void;
  remove(ref: TriggerRef): void;
  /** In the order of evaluation, each once. Callers must not change the list. */
  concerned(envelope: Envelope): readonly TriggerRef[];
}

/** The triggers for one event type. */
interface Bucket {
  readonly subscription: Disposable;
  /** Those that concern every event of the type. */
  all: TriggerRef[];
  /** Field → value → triggers for events with this value in this field. */
  readonly fields: Map<string, Map<string, TriggerRef[]>>;
  /** Area, tag or type → its value → triggers for events of devices that are so now. */
  readonly groups: Map<FoundBy, Map<string, TriggerRef[]>>;
  size: number;
}

const NONE: readonly TriggerRef[] = [];

export function createTriggerIndex(
  subscriptions: Pick<Subscriptions, "need">,
  device: HouseReads["device"],
): TriggerIndex {
  const buckets = new Map<string, Bucket>();

  function bucketOf(type: string): Bucket {
    const bucket = buckets.get(type) ?? {
      subscription: subscriptions.need(type),
      all: [],
      fields: new Map(),
      groups: new Map(),
      size: 0,
    };
    buckets.set(type, bucket);
    return bucket;
  }

  return {
    add(ref) {
      for (const interest of interestsOf(ref)) {
        const bucket = bucketOf(interest.event);
        if (insert(listFor(bucket, placeOf(interest)), ref)) bucket.size++;
      }
    },
    remove(ref) {
      for (const interest of interestsOf(ref)) {
        const bucket = buckets.get(interest.event);
        if (!bucket || !removeFrom(bucket, placeOf(interest), ref) || --bucket.size > 0) continue;
        bucket.subscription[Symbol.dispose]();
        buckets.delete(interest.event);
      }
    },
    concerned(envelope) {
      const bucket = buckets.get(envelope.type);
      if (!bucket) return NONE;
      let found: readonly TriggerRef[] = bucket.all;
      for (const [field, values] of bucket.fields) {
        const value = (envelope.event as Record<string, unknown>)[field];
        const more = typeof value === "string" ? values.get(value) : undefined;
        if (more) found = found.length === 0 ? more : merge(found, more);
      }
      if (bucket.groups.size === 0 || envelope.deviceId === undefined) return found;
      return withGroups(bucket, found, device(envelope.deviceId));
    },
  };
}

/** Where in a bucket: a list by value, or undefined for all events of the type. */
type Place =
  | { lists: "fields"; by: string; value: string }
  | { lists: "groups"; by: FoundBy; value: string }
  | undefined;

function placeOf({ deviceId, group, where }: Interest): Place {
  if (deviceId !== undefined) return { lists: "fields", by: "device_id", value: deviceId };
  if (group !== undefined) return { lists: "groups", ...group };
  return where && { lists: "fields", by: where.field, value: where.value };
}

function withGroups(
  { groups }: Bucket,
  found: readonly TriggerRef[],
  device: RuleDevice | undefined,
): readonly TriggerRef[] {
  if (!device) return found;
  let all = found;
  for (const [by, values] of groups) {
    const has = by === "tag" ? device.tags : [by === "area" ? device.area : device.deviceType];
    for (const value of has) {
      const more = value === undefined ? undefined : values.get(value);
      if (more) all = all.length === 0 ? more : merge(all, more);
    }
  }
  return all;
}

function listFor(bucket: Bucket, place: Place): TriggerRef[] {
  if (!place) return bucket.all;
  const lists: Map<string, Map<string, TriggerRef[]>> = bucket[place.lists];
  const values = lists.get(place.by) ?? new Map<string, TriggerRef[]>();
  lists.set(place.by, values);
  const list = values.get(place.value) ?? [];
  values.set(place.value, list);
  return list;
}

function removeFrom(bucket: Bucket, place: Place, ref: TriggerRef): boolean {
  const lists: Map<string, Map<string, TriggerRef[]>> | undefined = place && bucket[place.lists];
  const values = place && lists?.get(place.by);
  const list = place ? values?.get(place.value) : bucket.all;
  const at = list?.indexOf(ref) ?? -1;
  if (!list || at < 0) return false;
  list.splice(at, 1);
  if (place && values && list.length === 0) {
    values.delete(place.value);
    if (values.size === 0) lists?.delete(place.by);
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

/** False if it is in the list already, because the trigger names a device twice. */
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
