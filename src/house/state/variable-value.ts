// The names and values that variables may have.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { ID_PATTERN, isValidId } from "../../kit/schema/ids.ts";
import { deepFreeze, type Json, jsonEqual, parseJson } from "../../kit/schema/json.ts";

export interface VariableValue {
  /** Frozen, and equal to what will be read back from disk. */
  value: Json;
  /** Of its JSON text. */
  bytes: number;
}

const MAX_VARIABLE_NAME = 128;
const MAX_BYTES = 64 * 1024;

const NAME_RULE = `must have 1 to ${MAX_VARIABLE_NAME} characters without / + # or control characters, and not start with $`;

export const VariableName = Type.String({
  minLength: 1,
  maxLength: MAX_VARIABLE_NAME,
  pattern: ID_PATTERN,
  problem: NAME_RULE,
});

/** Throws HubError `invalid`. */
export function checkVariableName(name: string): void {
  if (name.length <= MAX_VARIABLE_NAME && isValidId(name)) return;
  throw new HubError("invalid", `a variable's name ${NAME_RULE}`);
}

/** A copy of a JSON value. Throws HubError: `invalid` for anything else, `too_large`. */
export function readVariableValue(value: unknown): VariableValue {
  const text = textOf(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new HubError("too_large", `value: as text it has ${bytes} bytes; a variable holds at most ${MAX_BYTES}`);
  }
  const parsed = parseJson(text);
  if (!parsed.ok) throw new HubError("invalid", `value: ${parsed.problem}`);
  // JSON.stringify drops what JSON cannot express (infinity, a function, …) or writes null for it: then they differ.
  if (!jsonEqual(value, parsed.value)) throw notJson();
  return { value: deepFreeze(parsed.value), bytes };
}

function textOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw notJson(cause);
  }
  if (text === undefined) throw notJson();
  return text;
}

function notJson(cause?: unknown): HubError {
  const message = "value: must be JSON: null, true or false, a number, text, a list or an object of these";
  return new HubError("invalid", message, { cause });
}
