// Where a run is: for each list of actions that it is in, which of them runs, how far that one is, and the lists inside it. As
// JSON it is what makes a run go on after a restart. Nothing here knows what the actions do.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { type DurableMoment, restoreMoment, wallOf } from "../../../kit/time/durable-moment.ts";
import type { Typed } from "../../model/define.ts";

/** A wait, and its deadline if it has one. */
export interface Wait {
  readonly since: DurableMoment;
  /** Undefined: it has no deadline. */
  readonly ms: number | undefined;
  /** What it waits for, for people. */
  readonly label: string;
  readonly key?: string | undefined;
}

/** How far one action is. */
export interface ActionPosition {
  progress?: Json;
  /** When it began, if it asked. */
  began?: DurableMoment;
  wait?: Wait;
  /** Of an earlier process of the hub, until the action waits again. */
  pendingWait?: Wait;
  /** It is a loop: its progress is its turn. */
  loops?: true;
  /** By slot. */
  lists?: Map<number, ListPosition>;
}

export interface ListPosition {
  /** Undefined until it runs again after a restart. */
  actions?: readonly Typed[];
  /** The index of the action that runs, or comes next. */
  at: number;
  /** Of the one that runs; undefined between two of them. */
  action?: ActionPosition | undefined;
  /** All of it has run. */
  done: boolean;
  /** From disk, and not taken up yet. */
  restored: boolean;
}

/** A wait of a run, with the action that waits. */
export interface Waiting {
  readonly action: Typed;
  readonly wait: Wait;
}

// Deeper than actions can be nested (see MAX_DEPTH in read/read-typed.ts).
const MAX_DEPTH = 100;

export function startOfList(): ListPosition {
  return { at: 0, done: false, restored: false };
}

/** The position in the list in this slot: the one from disk once, after that from the start. */
export function enterList(action: ActionPosition, slot: number): ListPosition {
  action.lists ??= new Map();
  const stored = action.lists.get(slot);
  const list = stored?.restored ? stored : startOfList();
  list.restored = false;
  action.lists.set(slot, list);
  return list;
}

/** Notes how far it is. The lists that it has run belong to the step before. */
export function noteProgress(action: ActionPosition, value: Json): void {
  if (action.progress === value) return;
  action.progress = value;
  for (const [slot, list] of action.lists ?? []) if (list.done && !list.restored) action.lists?.delete(slot);
}

/** All that waits below, outermost first. */
export function waitsIn({ actions, at, action }: ListPosition): Waiting[] {
  const spec = actions?.[at];
  if (!action || !spec) return [];
  const inside = [...(action.lists?.values() ?? [])].flatMap(waitsIn);
  return action.wait ? [{ action: spec, wait: action.wait }, ...inside] : inside;
}

export function positionToJson(clock: Clock, { at, action, done }: ListPosition): JsonObject {
  if (done) return { done: true };
  return action ? { at, in: actionToJson(clock, action) } : { at };
}

function actionToJson(clock: Clock, { progress, began, wait, pendingWait, lists }: ActionPosition): JsonObject {
  const current = wait ?? pendingWait;
  return {
    ...(progress !== undefined && { progress }),
    ...(began && { began: wallOf(clock, began) }),
    ...(current && { wait: [wallOf(clock, current.since), current.ms ?? null] }),
    ...(lists?.size && {
      lists: Object.fromEntries([...lists].map(([slot, list]) => [slot, positionToJson(clock, list)])),
    }),
  };
}

/** Throws TypeError if it is not what `positionToJson` gives. */
export function positionFromJson(clock: Clock, value: unknown, depth = 0): ListPosition {
  if (!isObject(value) || depth > MAX_DEPTH) throw new TypeError("it is no position");
  if (value.done === true) return { at: 0, done: true, restored: true };
  const { at, in: action } = value;
  if (typeof at !== "number" || !Number.isInteger(at) || at < 0) throw new TypeError("it has no index");
  const list: ListPosition = { at, done: false, restored: true };
  if (action !== undefined) list.action = actionFromJson(clock, action, depth);
  return list;
}

function actionFromJson(clock: Clock, value: unknown, depth: number): ActionPosition {
  if (!isObject(value)) throw new TypeError("the action's part is no object");
  const { progress, began, wait, lists } = value;
  const action: ActionPosition = {};
  if (progress !== undefined) action.progress = progress;
  if (began !== undefined) action.began = momentFrom(clock, began);
  if (wait !== undefined) action.pendingWait = waitFrom(clock, wait);
  if (lists === undefined) return action;
  if (!isObject(lists)) throw new TypeError("the lists are no object");
  const read = ([slot, list]: [string, Json]) => [Number(slot), positionFromJson(clock, list, depth + 1)] as const;
  action.lists = new Map(Object.entries(lists).map(read));
  return action;
}

function waitFrom(clock: Clock, value: Json): Wait {
  const [since, ms] = Array.isArray(value) ? value : [];
  if (ms !== null && typeof ms !== "number") throw new TypeError("a wait has no deadline");
  return { since: momentFrom(clock, since), ms: ms ?? undefined, label: "" };
}

function momentFrom(clock: Clock, value: unknown): DurableMoment {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError("a time is no number");
  return restoreMoment(clock, value);
}
