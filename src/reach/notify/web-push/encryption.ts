// Encrypts a message for one browser, so that the push service between cannot read it: RFC 8291, with one record of RFC 8188.
import { createCipheriv, createECDH, hkdfSync } from "node:crypto";
import type { RandomBytes } from "../../../kit/schema/ids.ts";

/** A browser's public key (an uncompressed point of P-256, 65 bytes) and its secret (16 bytes). */
export interface ReceiverKeys {
  p256dh: Uint8Array;
  auth: Uint8Array;
}

const CURVE = "prime256v1";
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** The header, the mark of the last record, and the tag. */
const OVERHEAD_BYTES = SALT_BYTES + 4 + 1 + 65 + 1 + TAG_BYTES;
/** Push services take at least 4096 bytes. */
export const MAX_PLAIN_BYTES = 4096 - OVERHEAD_BYTES;

/** Throws where the browser's key is no point of the curve. */
export function encrypt(plain: Uint8Array, { p256dh, auth }: ReceiverKeys, random: RandomBytes): Buffer {
  const salt = Buffer.from(random(SALT_BYTES));
  const own = ephemeralKey(random);
  const publicKey = own.getPublicKey();
  const shared = own.computeSecret(p256dh);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), p256dh, publicKey]);
  const secret = derived(shared, auth, info, 32);
  const key = derived(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derived(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const record = Buffer.concat([
    cipher.update(plain),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(Math.max(4096, record.length));
  return Buffer.concat([salt, size, Buffer.of(publicKey.length), publicKey, record]);
}

function derived(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}

function ephemeralKey(random: RandomBytes) {
  const key = createECDH(CURVE);
  for (;;) {
    try {
      key.setPrivateKey(random(32));
      return key;
    } catch {
      // One number in four thousand million is no private key.
    }
  }
}
