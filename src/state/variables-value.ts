// What a variable may be called and hold.
import { Type } from "@sinclair/typebox";
import { HubError } from "../core/errors.ts";
import { ID_PATTERN, isValidId } from "../core/ids.ts";
import { type Json, jsonEqual, parseJson } from "../core/json.ts";
import { frozen } from "./frozen.ts";

export interface VariableValue {
  /** Frozen, and just what will come back from the disk. */
  value: Json;
  /** Of its text. */
  bytes: number;
}

const LONGEST_VARIABLE_NAME = 128;
const MOST_BYTES = 64 * 1024;

const NAME_RULE = `must have 1 to ${LONGEST_VARIABLE_NAME} characters without / + # or control characters, and not start with $`;

export const VariableName = Type.String({
  minLength: 1,
  maxLength: LONGEST_VARIABLE_NAME,
  pattern: ID_PATTERN,
  problem: NAME_RULE,
});

/** Throws HubError `invalid`. */
export function checkVariableName(name: string): void {
  if (name.length <= LONGEST_VARIABLE_NAME && isValidId(name)) return;
  throw new HubError("invalid", `a variable's name ${NAME_RULE}`);
}

/** A copy of any JSON. Throws HubError: `invalid` for what is none, `too_large`. */
export function readVariableValue(value: unknown): VariableValue {
  const text = textOf(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw new HubError("too_large", `value: as text it has ${bytes} bytes; a variable holds at most ${MOST_BYTES}`);
  }
  const parsed = parseJson(text);
  if (!parsed.ok) throw new HubError("invalid", `value: ${parsed.problem}`);
  // What JSON cannot say (infinity, a function, …) is left out or becomes null on the way: then it is not the same.
  if (!jsonEqual(value, parsed.value)) throw notJson();
  return { value: frozen(parsed.value), bytes };
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
