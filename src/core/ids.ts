// Identifiers and secrets from a source of random bytes.
import { Type } from "@sinclair/typebox";

export type RandomBytes = (bytes: number) => Uint8Array;

/** A random UUID (version 4). */
export function uuid(random: RandomBytes): string {
  const bytes = Uint8Array.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A URL-safe secret with `bytes` bytes of entropy. */
export function secret(random: RandomBytes, bytes: number): string {
  return Buffer.from(random(bytes)).toString("base64url");
}

// No 0/O, 1/l/I: this one is read off a screen and typed.
const READABLE = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password a person can copy by eye; about 5.8 bits a character. */
export function readablePassword(random: RandomBytes, length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of random(length * 2)) {
      if (byte < 256 - (256 % READABLE.length) && out.length < length) out += READABLE[byte % READABLE.length];
    }
  }
  return out;
}

/** Devices of the hub itself belong to this id; no plugin and no account may bear it. */
export const HUB_PLUGIN_ID = "core";

const LONGEST_ID = 255;

/** What may stand as one level of a topic and as one part of an address: "." and ".." there mean folders. */
export const ID_PATTERN = "^(?!\\.{1,2}$)(?!\\$)[^/+#\\u0000-\\u001f\\u007f-\\u009f]+$";

/** An id that somebody gives. */
export const Id = Type.String({
  minLength: 1,
  maxLength: LONGEST_ID,
  pattern: ID_PATTERN,
  problem: `must have 1 to ${LONGEST_ID} characters without / + # or control characters, and not start with $`,
});

const VALID = new RegExp(ID_PATTERN);

export function isValidId(id: string): boolean {
  return id.length <= LONGEST_ID && VALID.test(id);
}

/** An id made from a name people gave: "Living Room" → "living_room". Empty where nothing of it can stand in one. */
export function idFromName(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 100);
}
