// Identifiers and secrets from a source of random bytes.

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
