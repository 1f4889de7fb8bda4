// By which a push service knows the hub: its key, and a token signed with it for each service (RFC 8292).
import { createECDH, createPrivateKey, sign } from "node:crypto";

/** In base64url: an uncompressed point of P-256, and the number that belongs to it. */
export interface VapidKey {
  publicKey: string;
  privateKey: string;
}

const CURVE = "prime256v1";
const NUMBER_BYTES = 32;

export function createVapidKey(): VapidKey {
  const key = createECDH(CURVE);
  const publicKey = key.generateKeys("base64url");
  return { publicKey, privateKey: numberOf(key.getPrivateKey()).toString("base64url") };
}

/** With its leading zeros, which one key in 256 has. */
function numberOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, NUMBER_BYTES - bytes.length)), bytes]);
}

/** In early hubs' databases, a number with leading zeros has an "A" too many in front. */
function privateNumber({ publicKey, privateKey }: VapidKey): string {
  const pair = createECDH(CURVE);
  for (const text of [privateKey, privateKey.slice(1)]) {
    const number = numberOf(Buffer.from(text, "base64url"));
    try {
      pair.setPrivateKey(number);
    } catch {
      continue;
    }
    if (pair.getPublicKey("base64url") === publicKey) return number.toString("base64url");
  }
  throw new Error("the hub's key for push services is damaged");
}

export interface VapidClaims {
  /** Of the endpoint. */
  origin: string;
  /** Where its operator can ask: `mailto:` or an https address. */
  contact: string;
  /** Epoch ms; services refuse more than a day ahead. */
  expiresAt: number;
}

/** The value of the header `Authorization`. */
export function vapidHeader(pair: VapidKey, { origin, contact, expiresAt }: VapidClaims): string {
  const claims = { aud: origin, exp: Math.floor(expiresAt / 1000), sub: contact };
  const signed = `${encoded({ typ: "JWT", alg: "ES256" })}.${encoded(claims)}`;
  const { publicKey } = pair;
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const key = createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y, d: privateNumber(pair) } });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
