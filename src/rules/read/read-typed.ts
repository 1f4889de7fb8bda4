// Checks triggers, conditions and actions by the schemas of their types, at any depth, and collects all problems. Each is
// checked on its own, because one schema for all would try every type at every depth.
import type { TSchema } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import { checkOwn, type Problem } from "../../kit/schema/schema.ts";
import { parseDuration } from "../../kit/time/duration.ts";
import type { Typed } from "../model/define.ts";
import { ALIASES, CEL, DURATION, type Kind, kindOfChild, SPELLINGS, wordsOf } from "../model/fields.ts";
import { oncePerSchema } from "../model/once-per-schema.ts";
import { members, TYPE_ALIASES } from "./schemas.ts";
import { templateProblems } from "./templates.ts";
import { type Place, rewrite, under } from "./walk.ts";

/** The limits for one rule, inner ones included. */
const MAX_COUNTS: Readonly<Record<Kind, number>> = { trigger: 50, condition: 200, action: 500 };
/** How many conditions or actions may be around another one. */
export const MAX_DEPTH = 100;

export interface Reading {
  readonly problems: Problem[];
  /** The error in an expression, if there is one. */
  checkExpression(text: string): string | undefined;
  readonly counts: Record<Kind, number>;
}

export function startReading(checkExpression: Reading["checkExpression"]): Reading {
  return { problems: [], checkExpression, counts: { trigger: 0, condition: 0, action: 0 } };
}

interface Level extends Place {
  depth: number;
}

/** The value with its defaults; undefined if it does not match the schema. Adds its problems to the reading. */
export function readBySchema(reading: Reading, { schema, value, path, depth }: Level): object | undefined {
  const hints = new Map<string, string>();
  const inside = new Map<string, unknown>();
  const plain = rewrite({ schema, value, path }, (place) => {
    if (hasWrongForm(place)) return false;
    if (!kindOfChild(place.schema)) return normalized(place, hints);
    // Set aside: otherwise everything inside would be copied and checked again at each level.
    inside.set(place.path, place.value);
    return null;
  });
  const checked = checkOwn(schema, plain, path);
  if (!checked.ok) {
    const hinted = checked.problems.map((one) => ({ ...one, message: one.message + (hints.get(one.path) ?? "") }));
    reading.problems.push(...hinted);
  }
  const read = rewrite({ schema, value: checked.ok ? checked.value : plain, path }, (place) => {
    const kind = kindOfChild(place.schema);
    if (kind) return readTyped(reading, kind, { ...place, value: inside.get(place.path), depth: depth + 1 });
    if (place.schema.contentMediaType === CEL) checkText(reading, place);
    if (checked.ok) reading.problems.push(...templateProblems(place, reading.checkExpression));
    return place.value;
  });
  return checked.ok ? (read as object) : undefined;
}

function readTyped(reading: Reading, kind: Kind, { value, path, depth }: Level): Typed | undefined {
  const { problems, counts } = reading;
  if (++counts[kind] > MAX_COUNTS[kind] || depth > MAX_DEPTH + 1) {
    const tooMany = counts[kind] > MAX_COUNTS[kind];
    const message = tooMany
      ? `a rule has at most ${MAX_COUNTS[kind]} ${kind}s, inner ones included: split it into several rules`
      : `is inside more than ${MAX_DEPTH} others: split it into several rules`;
    if (!tooMany || counts[kind] === MAX_COUNTS[kind] + 1) problems.push({ path, message });
    return undefined;
  }
  const type = typeOf(value);
  const member = type === undefined ? undefined : members[kind].get(type);
  if (!isObject(value) || !member) {
    problems.push(notOneOf(kind, value, path));
    return undefined;
  }
  const before = problems.length;
  const spec = readBySchema(reading, { schema: member.schema, value: { ...value, type: member.type }, path, depth });
  if (spec && problems.length === before) problems.push(...problemsOf(() => member.check?.(spec), path));
  return spec as Typed | undefined;
}

function typeOf(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.type !== "string") return undefined;
  return TYPE_ALIASES.get(value.type) ?? value.type;
}

function notOneOf(kind: Kind, value: unknown, path: string): Problem {
  if (Array.isArray(value)) return { path, message: `must be one ${kind}, not a list` };
  if (!isObject(value))
    return { path, message: `must be a table of keys and values, with the \`type\` of the ${kind}` };
  const types = [...members[kind].keys()];
  const choice = `must be one of ${types.map((type) => JSON.stringify(type)).join(", ")}`;
  const at = under(path, "type");
  if (value.type === undefined) return { path: at, message: `missing: ${choice}` };
  if (typeof value.type !== "string") return { path: at, message: choice };
  const near = didYouMean(value.type, types);
  return { path: at, message: near === "" ? choice : `there is no ${kind} "${value.type}"${near}` };
}

/** A list in the place of a table, or a table in the place of a list: TypeBox would replace it silently by the default. */
function hasWrongForm({ schema, value }: Place): boolean {
  const { default: wanted } = schema as { default?: unknown };
  const both = typeof wanted === "object" && wanted !== null && typeof value === "object" && value !== null;
  return both && Array.isArray(value) !== Array.isArray(wanted);
}

/** Replaces aliases of fields, spellings of words and durations by those of the schema. `hints` gets suggestions for unknown words. */
function normalized({ schema, value, path }: Place, hints: Map<string, string>): unknown {
  if (schema[DURATION]) return typeof value === "string" ? (parseDuration(value) ?? value) : value;
  const words = wordsOf(schema);
  if (!words) return isObject(value) && schema.properties ? withoutAliases(schema, value) : value;
  if (typeof value !== "string") return value;
  const word = spellingsOf(schema).get(checkpointed(value));
  if (word === undefined) hints.set(path, didYouMean(value.toLowerCase(), words));
  return word ?? value;
}

/** The words of a choice by how they are spelled. */
const spellingsOf = oncePerSchema((schema): ReadonlyMap<string, string> => {
  const words = wordsOf(schema) ?? [];
  const spellings: Record<string, string> = schema[SPELLINGS] ?? {};
  const all = [...words.map((word) => [word, word] as const), ...Object.entries(spellings)];
  // Of two that are spelled the same, the first counts.
  return new Map(all.map(([spelling, word]) => [checkpointed(spelling), word] as const).reverse());
});

/** `AboveHorizon` in RON is `above_horizon` elsewhere. */
function checkpointed(word: string): string {
  return word.toLowerCase().replace(/[_\s-]/g, "");
}

function withoutAliases(schema: TSchema, value: Record<string, unknown>): Record<string, unknown> {
  const names = aliasesIn(schema);
  if (names.size === 0 || !Object.keys(value).some((key) => names.has(key))) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const name = names.get(key);
    // If both names are given, the alias stays and is refused as an unknown key.
    return [name !== undefined && !Object.hasOwn(value, name) ? name : key, item];
  });
  return Object.fromEntries(entries);
}

/** The names of fields by their aliases. */
const aliasesIn = oncePerSchema(({ properties }): ReadonlyMap<string, string> => {
  return new Map(
    Object.entries(properties as Record<string, TSchema>).flatMap(([key, field]) =>
      ((field[ALIASES] as string[] | undefined) ?? []).map((alias): [string, string] => [alias, key]),
    ),
  );
});

function checkText({ problems, checkExpression }: Reading, { value, path }: Place): void {
  const error = typeof value === "string" && value !== "" ? checkExpression(value) : undefined;
  if (error !== undefined) problems.push({ path, message: error });
}

/** The problems that `check` throws, with their places in the rule. */
function problemsOf(check: () => void, path: string): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { problems } = error.details as { problems?: Problem[] };
    const found = problems ?? [{ path: "", message: error.message }];
    return found.map((problem) => ({ ...problem, path: problem.path === "" ? path : `${path}.${problem.path}` }));
  }
}
