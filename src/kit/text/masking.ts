// Masks PINs, passwords and other secrets, which are recognised by the names of their fields. Nothing declares the fields of
// devices and of custom events, so only the names can be used; hiding a harmless value now and then is the lesser evil.
import { isObject } from "../schema/json.ts";

/** Shown in place of a secret. */
export const MASK = "•••";

const SUSPECT = /pin|pass|secret|token|code|credential|psk|key|authori|cookie/i;
const SECRETS = new Set(
  "pin pins pincode passcode password passwd passphrase secret secrets token tokens credential credentials usercode doorcode alarmcode apikey psk authorization cookie".split(
    " ",
  ),
);
// "code" alone is a secret, and with one of these words; "error code" or "country code" is not.
const CODE_OF = new Set(
  "action user lock unlock alarm access door gate entry arm disarm master guest keypad security otp verification pairing setup pin pass".split(
    " ",
  ),
);
const KEY_OF = new Set("api private network encryption access shared security link install".split(" "));
/** Fields that hold the value of the field that the same object names. */
const VALUES = new Set([
  "value",
  "previous",
  "previous_value",
  "to",
  "from",
  "not_to",
  "not_from",
  "expected",
  "actual",
]);
/** Fields with texts for people, which may quote values. */
const PROSE = new Set(
  "label trigger_label why expected actual error message detail expression trigger_condition required_expression".split(
    " ",
  ),
);

// The names of a house are few, and each is asked about in every event of its device. Above the bound it begins anew.
const MAX_KNOWN = 4096;
const MAX_KNOWN_LENGTH = 64;
const known = new Map<string, boolean>();

/** Whether a field of this name holds a secret: `pin_code`, `userCode2`, `code`, `api_key`. */
export function isSecretName(name: string): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  const isSecret = soundsSecret(name);
  if (name.length > MAX_KNOWN_LENGTH) return isSecret;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, isSecret);
  return isSecret;
}

function soundsSecret(name: string): boolean {
  if (!SUSPECT.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1)?.replace(/s$/, "");
  const before = words.at(-2);
  if (words.some((word) => SECRETS.has(word))) return true;
  if (last === "code") return before === undefined || CODE_OF.has(before);
  return last === "key" && before !== undefined && KEY_OF.has(before);
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
}

/** The value with its secrets masked; the same value if it has none. */
export function masked<T>(value: T): T {
  return walk(value) as T;
}

/** The value with what stands under one of these keys masked, however deep. */
export function maskedUnder(value: unknown, keys: ReadonlySet<string>): unknown {
  if (keys.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => maskedUnder(item, keys));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      keys.has(key) && !isObject(item) && canBeSecret(item) ? MASK : maskedUnder(item, keys),
    ]),
  );
}

/** A text for people; if it mentions a secret field, the values in it are masked. */
export function maskedText(text: string): string {
  return namesSecret(text) ? withoutValues(text) : text;
}

/** Whether a text mentions a secret field. */
export function namesSecret(text: string): boolean {
  return SUSPECT.test(text) && (text.match(/[A-Za-z_][\w-]*/g) ?? []).some(isSecretName);
}

/** A text with every quoted text and every number masked; the keys of JSON stay. */
export function withoutValues(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.)*(?:"|$)(\s*:)?|(?<!\w)'(?:[^'\\]|\\.)*'|(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g,
    (found, key: string | undefined) => (key === undefined ? MASK : found),
  );
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return walkList(value);
  return isObject(value) ? walkObject(value) : value;
}

function walkList(list: readonly unknown[]): readonly unknown[] {
  for (let index = 0; index < list.length; index++) if (walk(list[index]) !== list[index]) return list.map(walk);
  return list;
}

function walkObject(value: Record<string, unknown>): object {
  const isNamed = isSecretText(value.attribute) || isSecretText(value.name);
  let copy: Record<string, unknown> | undefined;
  for (const key in value) {
    const item = value[key];
    const hidden = (isNamed && VALUES.has(key)) || isSecretName(key);
    const shown = hidden && canBeSecret(item) ? MASK : typeof item === "string" ? textOf(key, item) : walk(item);
    if (shown === item) continue;
    copy ??= { ...value };
    copy[key] = shown;
  }
  return copy ?? value;
}

const isSecretText = (name: unknown): boolean => typeof name === "string" && isSecretName(name);

function textOf(key: string, text: string): string {
  return PROSE.has(key) ? maskedText(text) : text;
}

// Whether a PIN is set is not a secret.
function canBeSecret(value: unknown): boolean {
  return typeof value !== "boolean" && value !== null && value !== undefined;
}

/** Replaces each mask in an edited value, sent by somebody who saw it masked, by the value that was there before. */
export function unmasked(given: unknown, previous: unknown): unknown {
  if (given === MASK) return previous ?? MASK;
  if (Array.isArray(given)) {
    return given.map((item, index) => unmasked(item, Array.isArray(previous) ? previous[index] : undefined));
  }
  if (!isObject(given)) return given;
  const known = isObject(previous) ? previous : {};
  return Object.fromEntries(
    Object.entries(given).map(([key, item]) => [
      key,
      unmasked(item, Object.hasOwn(known, key) ? known[key] : undefined),
    ]),
  );
}
