// What not everybody may see: PINs, passwords and the like, known by the names of the fields that hold them. Nobody declares
// the fields of devices and of custom events, so their names are all there is to go by; a harmless value hidden is the
// lesser harm.
import { isObject } from "./json.ts";

/** What stands where somebody may not look. */
export const MASK = "•••";

const SUSPECT = /pin|pass|secret|token|code|credential|psk|key|authori|cookie/i;
const SECRETS = new Set(
  "pin pins pincode passcode password passwd passphrase secret secrets token tokens credential credentials usercode doorcode alarmcode apikey psk authorization cookie".split(
    " ",
  ),
);
// A code alone is one; an error code or a country code is none.
const CODE_OF = new Set(
  "action user lock unlock alarm access door gate entry arm disarm master guest keypad security otp verification pairing setup pin pass".split(
    " ",
  ),
);
const KEY_OF = new Set("api private network encryption access shared security link install".split(" "));
/** What an object says of the thing it names. */
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
/** Texts made for people, in which values may be quoted. */
const PROSE = new Set(
  "label trigger_label why expected actual error message detail expression trigger_condition required_expression".split(
    " ",
  ),
);

/** Whether what bears this name is somebody's secret: `pin_code`, `userCode2`, `code`, `api_key`. */
export function isSecretName(name: string): boolean {
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

/** The value with everything secret in it masked; the very same value where there is nothing to hide. */
export function masked<T>(value: T): T {
  return walk(value) as T;
}

/** A text for people; where it speaks of something secret, the values in it are masked. */
export function maskedText(text: string): string {
  return namesSecret(text) ? withoutValues(text) : text;
}

/** Whether a text speaks of something secret. */
export function namesSecret(text: string): boolean {
  return SUSPECT.test(text) && (text.match(/[A-Za-z_][\w-]*/g) ?? []).some(isSecretName);
}

/** A text with every quoted text and every number in it masked; the keys of JSON stay. */
export function withoutValues(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.)*(?:"|$)(\s*:)?|(?<!\w)'(?:[^'\\]|\\.)*'|(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g,
    (found, key: string | undefined) => (key === undefined ? MASK : found),
  );
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(walk);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isObject(value) ? walkObject(value) : value;
}

function walkObject(value: Record<string, unknown>): object {
  const isNamed = [value.attribute, value.name].some((name) => typeof name === "string" && isSecretName(name));
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

function textOf(key: string, text: string): string {
  return PROSE.has(key) ? maskedText(text) : text;
}

// Whether there is a PIN is none.
function canBeSecret(value: unknown): boolean {
  return typeof value !== "boolean" && value !== null && value !== undefined;
}

/** What came back from somebody who saw it masked: where the mask stands, what was held stays. */
export function withHeld(given: unknown, held: unknown): unknown {
  if (given === MASK) return held ?? MASK;
  if (Array.isArray(given)) {
    return given.map((item, index) => withHeld(item, Array.isArray(held) ? held[index] : undefined));
  }
  if (!isObject(given)) return given;
  const known = isObject(held) ? held : {};
  return Object.fromEntries(
    Object.entries(given).map(([key, item]) => [
      key,
      withHeld(item, Object.hasOwn(known, key) ? known[key] : undefined),
    ]),
  );
}
