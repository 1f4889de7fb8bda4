// Puts the value of an input into a text, by what the text is: in CEL as a literal, never as code; in a message so that it
// cannot begin a placeholder; anywhere else as the text it is.
import type { TSchema } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { CEL, TEMPLATE } from "../model/fields.ts";
import { isQuoted, type Piece, partOfMessage } from "./placeholders.ts";

export type TextKind = "plain" | "cel" | "message";

export interface Placed {
  kind: TextKind;
  /** The text with its placeholders. */
  text: string;
  pieces: readonly Piece[];
}

/** A value, and whether it may hold placeholders of messages. */
export interface Insertable {
  /** Undefined for an optional input that is not given. */
  value: Json | undefined;
  isMessage: boolean;
}

export type Inserted = { ok: true; text: string } | { ok: false; name: string; message: string };

export function kindOfText({ contentMediaType, ...schema }: TSchema): TextKind {
  if (contentMediaType === CEL) return "cel";
  return schema[TEMPLATE] ? "message" : "plain";
}

/** What is wrong with where a placeholder stands. */
export function placeProblem({ kind, text, pieces }: Placed): string | undefined {
  if (kind !== "cel") return undefined;
  const quoted = pieces.find((piece) => typeof piece === "object" && isQuoted(text, piece.offset));
  return typeof quoted === "object"
    ? `\${${quoted.name}} stands in quotes: leave the quotes away, in an expression it becomes a text by itself`
    : undefined;
}

export function insert({ kind, text, pieces }: Placed, find: (name: string) => Insertable): Inserted {
  let result = "";
  for (const [at, piece] of pieces.entries()) {
    if (typeof piece === "string") {
      result += piece;
      continue;
    }
    const { name, offset } = piece;
    const { value, isMessage } = find(name);
    const part = kind === "message" ? partOfMessage(text, offset) : "text";
    if (kind === "cel" || part === "cel") {
      const literal = celLiteral(value);
      if (part === "cel" && /[{}]/.test(literal)) return { ok: false, name, message: NO_BRACES };
      result += literal;
      continue;
    }
    const shown = plainText(value);
    const next = pieces[at + 1];
    const around = result.slice(-1) + shown + (typeof next === "string" ? next.slice(0, 1) : "");
    if (part === "placeholder" && /[{}]/.test(shown)) return { ok: false, name, message: NO_BRACES };
    if (kind === "message" && !isMessage && around.includes("{{")) return { ok: false, name, message: NO_PLACEHOLDER };
    result += shown;
  }
  return { ok: true, text: result };
}

const NO_BRACES = "must not hold { or }, as it becomes part of a placeholder";
const NO_PLACEHOLDER = "must not hold {{, which begins a placeholder in messages";

/** CEL that gives the value and does nothing else. */
function celLiteral(value: Json | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
  if (Array.isArray(value)) return `[${value.map(celLiteral).join(", ")}]`;
  // The escapes of JSON are escapes of CEL.
  return JSON.stringify(value);
}

function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.map(plainText).join(", ") : String(value);
}
