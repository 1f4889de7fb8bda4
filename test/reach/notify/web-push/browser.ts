// A browser that asked for messages, and its push service: decrypts with WebCrypto what the hub encrypted with node:crypto, and
// checks by which key it was sent.
import { serveHttp } from "../rig.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));
const textOf = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString("base64url");
const encoder = new TextEncoder();

export interface Browser {
  readonly keys: { p256dh: string; auth: string };
  decrypt(body: Uint8Array): Promise<string>;
}

export async function createBrowser(): Promise<Browser> {
  const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
  const auth = crypto.getRandomValues(new Uint8Array(16));
  const own = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    keys: { p256dh: textOf(own.buffer), auth: textOf(auth.buffer) },
    decrypt: (body) => decrypt(new Uint8Array(body), { privateKey: pair.privateKey, own, auth }),
  };
}

interface Keys {
  privateKey: CryptoKey;
  own: Uint8Array;
  auth: Uint8Array<ArrayBuffer>;
}

async function decrypt(body: Uint8Array<ArrayBuffer>, { privateKey, own, auth }: Keys): Promise<string> {
  const salt = body.slice(0, 16);
  const idLength = body[20] ?? 0;
  const sender = body.slice(21, 21 + idLength);
  const record = body.slice(21 + idLength);
  if (record.length > new DataView(body.buffer).getUint32(16)) throw new Error("more than one record");
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const senderKey = await crypto.subtle.importKey("raw", sender, curve, false, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: senderKey }, privateKey, 256);
  const info = Buffer.concat([encoder.encode("WebPush: info\0"), own, sender]);
  const secret = await hkdf(shared, { salt: auth, info, bits: 256 });
  const key = await hkdf(secret, { salt, info: encoder.encode("Content-Encoding: aes128gcm\0"), bits: 128 });
  const iv = await hkdf(secret, { salt, info: encoder.encode("Content-Encoding: nonce\0"), bits: 96 });
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, record));
  const end = plain.findLastIndex((byte) => byte !== 0);
  if (plain[end] !== 2) throw new Error("not the last record");
  return new TextDecoder("utf-8", { fatal: true }).decode(plain.subarray(0, end));
}

async function hkdf(
  secret: ArrayBuffer,
  { salt, info, bits }: { salt: Uint8Array<ArrayBuffer>; info: Uint8Array; bits: number },
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt, info: new Uint8Array(info) };
  return crypto.subtle.deriveBits(how, key, bits);
}

/** The claims of `Authorization: vapid …`. Throws unless the key signed them. */
export async function claimsIn(header: string | null, publicKey: string): Promise<Record<string, unknown>> {
  const [, signed = "", signature = "", key] = /^vapid t=(\S+\.\S+)\.(\S+), k=(\S+)$/.exec(header ?? "") ?? [];
  if (key !== publicKey) throw new Error(`another key: ${header}`);
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const verifier = await crypto.subtle.importKey("raw", bytesOf(key), curve, false, ["verify"]);
  const how = { name: "ECDSA", hash: "SHA-256" };
  if (!(await crypto.subtle.verify(how, verifier, bytesOf(signature), encoder.encode(signed))))
    throw new Error("the signature is wrong");
  return JSON.parse(Buffer.from(signed.split(".")[1] ?? "", "base64url").toString());
}

/** A push service, which answers with the status for an endpoint `/STATUS/…`, as often as asked. */
export function servePush(statusOf: (path: string) => number = (path) => Number(path.split("/")[1])) {
  return serveHttp(({ path }) => new Response(null, { status: statusOf(path), headers: { "retry-after": "9" } }));
}
