// Groups: devices that stand for several others. What they say follows from their members, with one event for a burst of
// changes; a command goes to every member that takes it.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID, readGivenName } from "../../../kit/schema/ids.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { throwRefusals } from "../../../kit/schema/refusals.ts";
import { oneCalled } from "../../../kit/text/called.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { EventFeed } from "../../../server/events/feed.ts";
import { isBatteryAttribute } from "../battery.ts";
import { idTaken, notFound, tooMany } from "../collection.ts";
import { describedAttribute } from "../commands/command-check.ts";
import type { Actor, CarryOut, Commands } from "../commands/commands.ts";
import { type Device, GROUP_MODEL, isGroup, isMinor } from "../device.ts";
import type { Registry } from "../registry.ts";
import { GroupMembers } from "./group-members.ts";
import { idFor } from "./own-devices.ts";

export interface NewGroup {
  /** Made from the name when absent. */
  id?: string;
  name: string;
  area?: string | null;
  /** Ids, or names that one device alone has. */
  members: readonly string[];
}

export type GroupEdit = Partial<Omit<NewGroup, "id">>;

export interface Group {
  device: Device;
  /** Ids; some may not exist, or not at present. */
  members: readonly string[];
}

export interface Groups extends Disposable {
  is(device: Device): boolean;
  list(): Group[];
  /** Throws HubError `not_found`. */
  get(id: string): Group;
  /** The devices in it, in any depth; none for what is no group. */
  devices(id: string): Device[];
  /** Throws HubError: `invalid` for a circle, or a member that does not exist, `conflict` for a taken id or too many. */
  create(group: NewGroup): Group;
  edit(id: string, edit: GroupEdit): Group;
  remove(id: string): void;
  /** As that of other own devices, but it is done when the members' commands are sent, and rejects if any was refused. */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject, options: { force: boolean }): CarryOut;
  /** Follows the members from now on. */
  start(): void;
}

export interface GroupsOptions {
  registry: Registry;
  db: Pick<StateDb, "durable" | "faults">;
  clock: Clock;
  log: Log;
  feed: Pick<EventFeed, "on">;
  deliver: Commands["deliver"];
}

const MAX_GROUPS = 500;
const BURST_MS = 50;
/** Types whose commands are their own: a group of such devices is of no type. */
const OWN_TYPES: ReadonlySet<string> = new Set(["timer", "mode", "schedule", "calendar"]);

export function createGroups({ registry, db, clock, log, feed, deliver }: GroupsOptions): Groups {
  const members = new GroupMembers(db);
  const disposables = new DisposableStack();
  /** Group → who caused the last of its members' changes, as far as known. */
  const changed = new Map<string, JsonObject | undefined>();
  /** Group → the descriptions that its own was made from. */
  const described = new Map<string, Device["details"][]>();
  let timer: Timer | undefined;

  const groupOf = (device: Device): Group => ({ device, members: members.of(device.id) });
  const devicesIn = (id: string): Device[] => members.devicesOf(id).flatMap((member) => registry.find(member) ?? []);
  const list = (): Device[] => [...registry.list()].filter(isGroup);

  function get(id: string): Device {
    const device = registry.find(id);
    if (device && isGroup(device)) return device;
    throw notFound("group", id);
  }

  /** Its type and description, where those of a member have changed. */
  function describe(id: string, devices: readonly Device[]): void {
    const details = devices.map((device) => device.details);
    const known = described.get(id);
    if (known?.length === details.length && known.every((one, index) => one === details[index])) return;
    const type = commonType(devices, OWN_TYPES);
    registry.register({ device_id: id, device_type: type, model: GROUP_MODEL }, HUB_PLUGIN_ID);
    registry.schema(id, commonSchema(devices) ?? {}, HUB_PLUGIN_ID);
    described.set(id, details);
  }

  /** Members that are not available do not count. Where none is, the group keeps what it said. */
  function update(id: string, change?: JsonObject): void {
    const devices = devicesIn(id);
    const present = devices.filter((device) => registry.isPresumedAvailable(device));
    // First: any report makes a device available, if only for a moment.
    registry.availability(id, present.length > 0, HUB_PLUGIN_ID);
    describe(id, devices);
    if (present.length === 0) return;
    const report = { pluginId: HUB_PLUGIN_ID, partial: false, ...(change && { change }) };
    registry.state(id, commonAttributes(present), report);
  }

  function updateAll(): void {
    for (const { id } of list()) update(id);
  }

  const flush = guarded(log, "groups", () => {
    timer = undefined;
    const due = [...changed];
    changed.clear();
    for (const [id, change] of due) if (registry.find(id)) update(id, change);
  });

  function soon(groups: Iterable<string>, change?: JsonObject): void {
    for (const id of groups) {
      changed.set(id, change ?? changed.get(id));
      timer ??= clock.after("groups", BURST_MS, flush);
    }
  }

  function checkMembers(wanted: readonly string[], before: readonly string[]): string[] {
    const ids = wanted.map((text) => {
      if (before.includes(text) || registry.find(text)) return text;
      const called = oneCalled("device", [...registry.list()], text);
      if (called) return called.id;
      throw new HubError("invalid", `members: there is no device "${text}"`);
    });
    return [...new Set(ids)];
  }

  function removed(id: string): void {
    const around = [...members.groupsOf(id)];
    members.delete(id);
    described.delete(id);
    soon(around);
  }

  disposables.use(registry.onRemoved("groups", ({ id }) => removed(id)));

  return {
    is: isGroup,
    list: () => list().map(groupOf),
    get: (id) => groupOf(get(id)),
    devices: devicesIn,
    create({ id: givenId, name: givenName, area, members: wanted }) {
      const name = readGivenName(givenName);
      const id = givenId ?? idFor(registry, name);
      if (registry.find(id)) throw idTaken(id);
      if (list().length >= MAX_GROUPS) throw tooMany("group", MAX_GROUPS);
      const checked = checkMembers(wanted, []);
      members.check(id, checked);
      registry.register({ device_id: id, name, device_type: "group", model: GROUP_MODEL }, HUB_PLUGIN_ID);
      // Last, because it is what syncs both.
      members.set(id, checked);
      if (typeof area === "string") registry.edit(id, { area });
      updateAll();
      return groupOf(get(id));
    },
    edit(id, { members: wanted, ...identity }) {
      get(id);
      if (wanted) members.set(id, checkMembers(wanted, members.of(id)));
      if (Object.keys(identity).length > 0) registry.edit(id, identity);
      if (wanted) updateAll();
      return groupOf(get(id));
    },
    remove(id) {
      get(id);
      registry.remove(id);
    },
    prepare(device, wanted, cause, { force }) {
      const parts = partsOf(device, devicesIn(device.id), wanted);
      const actor = actorOf(cause);
      return async () => {
        const sent = parts.map(async ([id, part]) => [id, await deliver(id, part, actor, { force })] as const);
        return throwRefusals(await Promise.allSettled(sent));
      };
    },
    start() {
      updateAll();
      const changes = feed.on("device_state_changed", "groups", ({ event }) =>
        soon(members.groupsOf(event.device_id), event.change as JsonObject | undefined),
      );
      const others = feed.on("device_availability_changed", "groups", ({ event }) =>
        soon(members.groupsOf(event.device_id)),
      );
      const renamed = feed.on("device_attribute_renamed", "groups", ({ event }) =>
        soon(members.groupsOf(event.device_id)),
      );
      disposables.use(changes);
      disposables.use(others);
      disposables.use(renamed);
    },
    [Symbol.dispose]() {
      disposables[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}

/** The keys that the hub's own devices take, by type. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  switch: ["on", "command"],
  mode: ["on", "command"],
  schedule: ["enabled", "command"],
  timer: ["command"],
};
const ON_OFF: Readonly<Record<string, boolean>> = { on: true, off: false };

/**
 * Member → what it takes of the command; a member that takes nothing is left out. What no member knows, such as a `transition`,
 * goes along. Throws HubError `invalid` if none takes any of it.
 */
function partsOf(group: Device, members: readonly Device[], given: JsonObject): [string, JsonObject][] {
  const wanted = asState(group, members, given);
  const names = Object.keys(wanted);
  const unknown = names.filter((name) => !members.some((member) => takes(member, name)));
  const parts = members.flatMap((member): [string, JsonObject][] => {
    const taken = names.filter((name) => takes(member, name));
    if (taken.length === 0) return [];
    return [[member.id, Object.fromEntries([...taken, ...unknown].map((name) => [name, wanted[name] ?? null]))]];
  });
  if (parts.length > 0) return parts;
  const what = names.map((name) => `"${name}"`).join(", ");
  throw new HubError("invalid", `no member of the group "${group.id}" takes ${what || "an empty command"}`);
}

/** The commands `on`, `off` and `toggle` work with all that can be on. */
function asState({ attributes }: Device, members: readonly Device[], wanted: JsonObject): JsonObject {
  const { command, ...rest } = wanted;
  if (!members.some((member) => takes(member, "on"))) return wanted;
  if (command === "toggle") return { ...rest, on: attributes.on !== true };
  return typeof command === "string" && Object.hasOwn(ON_OFF, command)
    ? { ...rest, on: ON_OFF[command] === true }
    : wanted;
}

/** One that describes nothing takes what it reports, and commands. */
function takes({ pluginId, deviceType = "", details, attributes }: Device, name: string): boolean {
  if (pluginId === HUB_PLUGIN_ID) return OWN_KEYS[deviceType]?.includes(name) === true;
  const described = describedAttribute(details, name);
  if (described) return described.readOnly !== true;
  return Object.hasOwn(attributes, name) || (name === "command" && !details.schema && !details.capabilities);
}

/** Who sent the command to the group. */
function actorOf({ kind, actor_id, actor_name }: JsonObject): Actor {
  return { kind: String(kind), id: String(actor_id), name: String(actor_name) };
}

type Member = Pick<Device, "attributes" | "details" | "deviceType">;

/**
 * Two-valued: true if it is for any, and for all where it is `locked`, or true while closed. Numbers: the mean. Other values: what all have. Settings,
 * batteries and numbers of unlike units are left out.
 */
function commonAttributes(members: readonly Device[]): JsonObject {
  const values = new Map<string, Json[]>();
  for (const member of members) {
    for (const [name, value] of Object.entries(member.attributes)) {
      if (value === null || value === undefined || isBatteryAttribute(name) || isMinor(member, name)) continue;
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  const common = [...values].map(([name, known]) => {
    const described = descriptionsOf(members, name);
    const isLike = new Set(described.map(({ unit }) => unit)).size <= 1;
    const isOfAll = /^(locked|contact)(_|$)/.test(name) || described.some(({ inverted }) => inverted === true);
    return [name, isLike ? commonValue(known, isOfAll) : undefined];
  });
  return Object.fromEntries(common.filter(([, value]) => value !== undefined));
}

function commonValue(values: readonly Json[], isOfAll: boolean): Json | undefined {
  if (values.every((value) => typeof value === "boolean"))
    return isOfAll ? values.every(Boolean) : values.some(Boolean);
  if (values.every((value) => typeof value === "number")) return mean(values);
  return values.every((value) => typeof value === "string" && value === values[0]) ? values[0] : undefined;
}

function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.round((sum / values.length) * 100) / 100;
}

/** The type that all have; "group" where they differ. */
function commonType(members: readonly Member[], ownTypes: ReadonlySet<string>): string {
  const types = new Set(members.map(({ deviceType }) => deviceType));
  const [type] = types;
  return types.size === 1 && type !== undefined && !ownTypes.has(type) ? type : "group";
}

/** JSON Schema of all that a member describes, with what every member accepts. Undefined where none describes anything. */
function commonSchema(members: readonly Member[]): JsonObject | undefined {
  const names = new Set(members.flatMap(({ details }) => Object.keys(propertiesOf(details))));
  const described = [...names].flatMap((name): [string, JsonObject][] => {
    if (isBatteryAttribute(name)) return [];
    const common = commonDescription(descriptionsOf(members, name));
    return common ? [[name, common]] : [];
  });
  return described.length > 0 ? { type: "object", properties: Object.fromEntries(described) } : undefined;
}

function commonDescription(all: readonly JsonObject[]): JsonObject | undefined {
  const [first] = all;
  if (!first || all.some(({ category, hidden }) => category !== undefined || hidden === true)) return undefined;
  const isLike = (key: string): boolean => all.every((one) => JSON.stringify(one[key]) === JSON.stringify(first[key]));
  if (!isLike("type") || !isLike("unit")) return undefined;
  // What a member's words are made of is the member's: the group has them from the members' words.
  const { sensed, of, reported_as: reportedAs, ...described } = first;
  const { minimum: _, maximum: __, enum: ___, readOnly: ____, ...common } = described;
  const minimum = Math.max(...numbersIn(all, "minimum"));
  const maximum = Math.min(...numbersIn(all, "maximum"));
  if (minimum > maximum) return undefined;
  const options = commonOptions(all);
  if (options?.length === 0) return undefined;
  return {
    ...common,
    ...(Number.isFinite(minimum) && { minimum }),
    ...(Number.isFinite(maximum) && { maximum }),
    ...(options && { enum: options }),
    ...(all.every(({ readOnly }) => readOnly === true) && { readOnly: true }),
  };
}

function numbersIn(all: readonly JsonObject[], key: string): number[] {
  return all.map((one) => one[key]).filter((value) => typeof value === "number");
}

function commonOptions(all: readonly JsonObject[]): Json[] | undefined {
  const lists = all.map((one) => one.enum).filter((list) => Array.isArray(list));
  return lists[0]?.filter((option) => lists.every((list) => list.includes(option)));
}

function descriptionsOf(members: readonly Member[], name: string): JsonObject[] {
  return members.flatMap(({ details }) => {
    const properties = propertiesOf(details);
    const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(found) ? [found as JsonObject] : [];
  });
}

function propertiesOf({ schema, capabilities }: Device["details"]): JsonObject {
  const described = [capabilities?.properties, schema?.properties].filter(isObject);
  return Object.assign({}, ...described) as JsonObject;
}
