// Reads the text of a profile: the profile, or every reason why it is none, each with its key and line.
import { readFileSync, statSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../../../kit/schema/schema.ts";
import {
  type LineProblem,
  parseTomlTable,
  readToml,
  readTomlFile,
  type TomlFile,
} from "../../../../kit/schema/toml.ts";
import { withTomlAdvice } from "../../../../kit/schema/toml-advice.ts";
import { problemsOf } from "./checks.ts";
import {
  type CheckedExpressions,
  type Expression,
  type ExpressionCompiler,
  makersOf,
  type Profile,
  READING_VARIABLES,
  WRITING_VARIABLES,
} from "./profile.ts";
import { ProfileTable } from "./schema.ts";
import { placeholdersOf, topicPattern } from "./topic-pattern.ts";

export interface ReadProfile {
  /** Without the attributes, commands and actions that have problems; absent where it is of no use without them. */
  profile?: Profile;
  problems: LineProblem[];
}

export interface ProfileReader {
  /** `name`: that of the file, without `.toml`. Never throws. */
  read(name: string, text: Uint8Array | string): ReadProfile;
  /** The same of a file. Throws the system's error where it cannot be read. */
  readFile(name: string, path: string): ReadProfile;
}

/** A profile that comes with the hub. */
export interface ShippedProfile {
  text: string;
  /** What is in it, with the defaults, as JSON. */
  table: string;
}

/** By name. The hub's tests check them: a file that holds one is not read again. */
export type ShippedProfiles = ReadonlyMap<string, ShippedProfile>;

/** Of a text that is known to be right. */
export function shippedTable(text: string): ProfileTable {
  return Value.Default(ProfileTable, parseTomlTable(text)) as ProfileTable;
}

export function createProfileReader(compiler: ExpressionCompiler, shipped: ShippedProfiles = new Map()): ProfileReader {
  const read = (name: string, file: TomlFile): ReadProfile => profileIn(name, file, compiler);
  return {
    read: (name, text) => read(name, readToml(text)),
    readFile(name, path) {
      const known = shipped.get(name);
      if (known === undefined || !holds(path, known.text)) return read(name, readTomlFile(path));
      const table = JSON.parse(known.table) as ProfileTable;
      return { profile: profileOf(name, table, createExpressions(compiler)), problems: [] };
    },
  };
}

function holds(path: string, text: string): boolean {
  const bytes = Buffer.from(text);
  const stat = statSync(path);
  return stat.isFile() && stat.size === bytes.length && readFileSync(path).equals(bytes);
}

function profileIn(name: string, read: TomlFile, compiler: ExpressionCompiler): ReadProfile {
  if (!read.ok) return { problems: [read.problem] };
  const located = (problems: readonly Problem[]): LineProblem[] =>
    problems.map((problem) => ({ ...withTomlAdvice(problem, read.table), line: read.locate(problem.path) }));
  if (read.table.ecosystem !== undefined || read.table.types !== undefined)
    return { problems: located([ofAnotherHub(read.table.ecosystem === undefined ? "types" : "ecosystem")]) };
  const expressions = createExpressions(compiler);
  const whole = checkedTable(read.table, expressions);
  const problems = located([...read.problems, ...whole.problems]);
  // Twice: what the schema says of some may hide what the checks say of others.
  let found = whole;
  for (let tries = 0; !found.table && tries < 2; tries++) {
    const rest = withoutWrong(found.read, found.problems);
    if (rest === undefined) return { problems };
    found = checkedTable(rest, expressions);
  }
  return found.table ? { profile: profileOf(name, found.table, expressions), problems } : { problems };
}

interface CheckedTable {
  read: JsonObject;
  /** Absent where there are problems that are more than warnings. */
  table?: ProfileTable;
  problems: readonly Problem[];
}

function checkedTable(read: JsonObject, expressions: CheckedExpressions): CheckedTable {
  const checked = checkValue(ProfileTable, read);
  if (!checked.ok) return { read, problems: checked.problems };
  const problems = problemsOf(checked.value, expressions);
  return { read, problems, ...(problems.every(({ warning }) => warning) && { table: checked.value }) };
}

/** The table without the attributes, commands and actions that have problems; undefined where something else has one. */
function withoutWrong(table: JsonObject, problems: readonly Problem[]): JsonObject | undefined {
  const rest = structuredClone(table);
  const { attributes, commands, actions } = rest;
  const wrongActions = new Set<number>();
  for (const { path, warning } of problems) {
    if (warning) continue;
    const [, index] = /^actions\[(\d+)\]/.exec(path) ?? [];
    if (index !== undefined && Array.isArray(actions)) wrongActions.add(Number(index));
    else if (!remove("attributes", attributes, path) && !remove("commands", commands, path)) return undefined;
  }
  if (Array.isArray(actions)) rest.actions = actions.filter((_, index) => !wrongActions.has(index));
  // A profile of nothing is none.
  for (const section of ["attributes", "commands", "actions"])
    if (Object.keys(rest[section] ?? {}).length === 0) delete rest[section];
  return rest;
}

/** Removes the entry that the path is about; true also where that was removed before. */
function remove(section: string, entries: unknown, path: string): boolean {
  const [, name] = new RegExp(`^${section}\\.([^.[\\]]+)`).exec(path) ?? [];
  if (name === undefined || !isObject(entries)) return false;
  delete entries[name];
  return true;
}

function profileOf(name: string, table: ProfileTable, expressions: CheckedExpressions): Profile {
  const makers = makersOf(table).map(topicPattern);
  const parts = placeholdersOf(makers[0]?.text ?? "");
  const id = table.id ?? [name, ...parts.map((part) => `{${part}}`)].join("_");
  const isTopicEnough = placeholdersOf(id).every((part) => parts.includes(part));
  return { name, table, id, isTopicEnough, makers, expressions };
}

function ofAnotherHub(path: string): Problem {
  return {
    path,
    message: 'is a profile of homeCore, which is written otherwise here: see "From homeCore" in docs/profiles.md',
  };
}

/** Compiled once for each text. */
function createExpressions(compiler: ExpressionCompiler): CheckedExpressions {
  const held = { reading: memory(compiler, READING_VARIABLES), writing: memory(compiler, WRITING_VARIABLES) };
  const good = (kind: "reading" | "writing") => (text: string) => {
    const compiled = held[kind](text);
    return compiled.ok ? compiled : failing(compiled.problem);
  };
  return {
    reading: good("reading"),
    writing: good("writing"),
    problem(kind, text) {
      const compiled = held[kind](text);
      return compiled.ok ? undefined : compiled.problem;
    },
  };
}

function memory(compiler: ExpressionCompiler, variables: readonly string[]): ReturnType<ExpressionCompiler> {
  let compile: ReturnType<ExpressionCompiler> | undefined;
  const held = new Map<string, ReturnType<ReturnType<ExpressionCompiler>>>();
  return (text) => {
    // Most profiles have no expressions, and what compiles them is large.
    compile ??= compiler(variables);
    const compiled = held.get(text) ?? compile(text);
    held.set(text, compiled);
    return compiled;
  };
}

function failing(problem: string): Expression {
  return { run: (): { ok: false; problem: string } | { ok: true; value: Json } => ({ ok: false, problem }) };
}
