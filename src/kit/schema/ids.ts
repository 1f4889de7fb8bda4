// Ids, names and secrets: made from random bytes, or given by people.
import { Type } from "@sinclair/typebox";
import { HubError } from "./errors.ts";

export type RandomBytes = (bytes: number) => Uint8Array;

/** A random UUID (version 4). */
export function uuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A URL-safe secret with `bytes` bytes of entropy. */
export function secret(random: RandomBytes, bytes: number): string {
  return Buffer.from(random(bytes)).toString("base64url");
}

// Without 0/O and 1/l/I: the password is read off a screen and typed.
const READABLE = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password that is easy to copy by eye; about 5.8 bits for each character. */
export function readablePassword(random: RandomBytes, length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of random(length * 2)) {
      if (byte < 256 - (256 % READABLE.length) && out.length < length) out += READABLE[byte % READABLE.length];
    }
  }
  return out;
}

/** The plugin id of the hub's own devices; no plugin and no account may have it. */
export const HUB_PLUGIN_ID = "core";

const MAX_ID = 255;

/** An id can be a level of an MQTT topic and a segment of an URL, where "." and ".." would mean folders. */
export const ID_PATTERN = "^(?!\\.{1,2}$)(?!\\$)[^/+#\\u0000-\\u001f\\u007f-\\u009f]+$";

/** What an id must be, as messages say it. */
export const ID_RULE = `must have 1 to ${MAX_ID} characters without / + # or control characters, and not start with $`;

/** An id that a person gives. */
export const Id = Type.String({ minLength: 1, maxLength: MAX_ID, pattern: ID_PATTERN, problem: ID_RULE });

const VALID = new RegExp(ID_PATTERN);

export function isValidId(id: string): boolean {
  return id.length <= MAX_ID && VALID.test(id);
}

/** Throws HubError `invalid`. */
export function checkId(id: string): void {
  if (!isValidId(id)) throw new HubError("invalid", `id: ${ID_RULE}`);
}

/** An id made from a name: "Living Room" → "living_room". Empty if no character of the name can be in an id. */
export function idFromName(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 100);
}

const MAX_NAME = 200;
const NAME_RULE = `must have 1 to ${MAX_NAME} characters, and not spaces alone`;

/** A name that a person gives. */
export const GivenName = Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: "\\S", problem: NAME_RULE });

/** The name without spaces around it. Throws HubError `invalid`. */
export function readGivenName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= MAX_NAME) return name;
  throw new HubError("invalid", `name: ${NAME_RULE}`);
}
