// Reads the text of a profile: the profile, or every reason why it is none, each with its key and line.
import { readFileSync, statSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import type { Json } from "../../../core/json.ts";
import { checkValue, type Problem } from "../../../core/schema.ts";
import { type LineProblem, parseTomlTable, readToml, readTomlFile, type TomlFile } from "../../../core/toml.ts";
import { withTomlAdvice } from "../../../core/toml-advice.ts";
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
  /** Absent where there are problems that are more than warnings. */
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
  const checked = checkValue(ProfileTable, read.table);
  if (!checked.ok) return { problems: located([...read.problems, ...checked.problems]) };
  const table = checked.value;
  const expressions = createExpressions(compiler);
  const problems = [...read.problems, ...problemsOf(table, expressions)];
  if (problems.some(({ warning }) => !warning)) return { problems: located(problems) };
  return { profile: profileOf(name, table, expressions), problems: located(problems) };
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
