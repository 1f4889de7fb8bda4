// A profile as it is used: read from its file, with its expressions compiled.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { ProfileTable } from "./schema.ts";
import type { TopicPattern } from "./topic-pattern.ts";

export interface Profile {
  /** The name of its file without `.toml`. */
  readonly name: string;
  readonly table: ProfileTable;
  readonly id: string;
  /** The topic alone says which device it is. */
  readonly isTopicEnough: boolean;
  /** The topics whose messages make a device. */
  readonly makers: readonly TopicPattern[];
  readonly expressions: CompiledExpressions;
}

/** By their text; each is there, because a profile is checked before it is used. */
export interface CompiledExpressions {
  reading(text: string): Expression;
  writing(text: string): Expression;
}

export interface CheckedExpressions extends CompiledExpressions {
  /** What is wrong with a text, if something is. */
  problem(kind: "reading" | "writing", text: string): string | undefined;
}

export interface Expression {
  run(values: JsonObject): { ok: true; value: Json } | { ok: false; problem: string };
}

/** CEL, which another part of the hub knows. */
export type ExpressionCompiler = (
  variables: readonly string[],
) => (text: string) => ({ ok: true } & Expression) | { ok: false; problem: string };

/** What CEL has when a message is read. */
export const READING_VARIABLES = ["json", "text", "topic", "parts"] as const;
/** And when a command is written. */
export const WRITING_VARIABLES = ["value", "rgb", "parts"] as const;

/** Topics whose messages make a device: the one at the top, or where there is none all others. */
export function makersOf({ topic, attributes = {}, actions = [] }: ProfileTable): string[] {
  if (topic !== undefined) return [topic];
  const others = [...Object.values(attributes), ...actions].flatMap((one) => one.topic ?? []);
  return [...new Set(others)];
}
