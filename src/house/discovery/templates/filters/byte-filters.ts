// Filters on bytes and codes: base64, hex, hashes, pack and unpack, addresses and slugs.
import { createHash } from "node:crypto";
import { type Arguments, type Filter, numberArgument } from "../arguments.ts";
import {
  fromBigInt,
  isInt,
  isNumber,
  numberOf,
  PyBytes,
  PyFloat,
  str,
  TemplateError,
  typeName,
  type Value,
} from "../values.ts";

const hash =
  (kind: string): Filter =>
  (value) => {
    if (typeof value !== "string") throw new TemplateError(`${kind} needs a text, not a ${typeName(value)}`);
    return createHash(kind).update(value).digest("hex");
  };

function decoded(value: Value, args: Arguments): Value {
  const text = str(value).replace(/[^A-Za-z0-9+/=]/g, "");
  if (text.length % 4 !== 0) throw new TemplateError("base64_decode: this is no base64");
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return args.has(0, "encoding") && args.get(0, "encoding") === null ? new PyBytes(bytes) : utf8(bytes);
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TemplateError("these bytes are no text in UTF-8");
  }
}

function fromHex(value: Value): Value {
  const text = str(value).replace(/\s+/g, "");
  if (!/^([\da-f]{2})*$/i.test(text)) throw new TemplateError("from_hex: this is no hex");
  return new PyBytes(new Uint8Array(Buffer.from(text, "hex")));
}

const FORMAT = /^([@=<>!]?)([bBhHiIlLqQefd?])$/;
const SIZES: Readonly<Record<string, number>> = {
  ...{ b: 1, B: 1, "?": 1, h: 2, H: 2, e: 2, i: 4, I: 4, l: 4, L: 4, f: 4, q: 8, Q: 8, d: 8 },
};

/** One value of the format of Python's struct, such as `>h`. */
function read(format: Value): { kind: string; size: number; isLittle: boolean } | undefined {
  const [, order = "", kind = ""] = FORMAT.exec(str(format)) ?? [];
  const isNative = order === "" || order === "@";
  const size = isNative && kind.toLowerCase() === "l" ? 8 : SIZES[kind];
  return size === undefined ? undefined : { kind, size, isLittle: order !== ">" && order !== "!" };
}

/** None where the value is none of the format, as in Home Assistant. */
function pack(value: Value, args: Arguments): Value {
  const format = read(args.get(0, "format_string"));
  if (!format || !isNumber(value)) return null;
  const { kind, size, isLittle } = format;
  const view = new DataView(new ArrayBuffer(size));
  if (kind === "d") view.setFloat64(0, numberOf(value), isLittle);
  else if (kind === "f") view.setFloat32(0, numberOf(value), isLittle);
  else if (kind === "e") view.setFloat16(0, numberOf(value), isLittle);
  else if (!isInt(value)) return null;
  else {
    const bits = BigInt(size * 8);
    const isSigned = kind !== "?" && kind === kind.toLowerCase();
    const [least, most] = isSigned ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
    const whole = kind === "?" ? BigInt(Boolean(value)) : BigInt(value);
    if (whole < least || whole > most) return null;
    for (let at = 0; at < size; at++)
      view.setUint8(isLittle ? at : size - 1 - at, Number((whole >> BigInt(8 * at)) & 255n));
  }
  return new PyBytes(new Uint8Array(view.buffer));
}

function unpack(value: Value, args: Arguments): Value {
  if (!(value instanceof PyBytes))
    throw new TemplateError(`unpack needs bytes, not a ${typeName(value)}: see from_hex`);
  const format = read(args.get(0, "format_string"));
  const offset = args.has(1, "offset") ? numberArgument(args.get(1, "offset"), "unpack") : 0;
  const from = offset < 0 ? offset + value.bytes.length : offset;
  if (!format || !Number.isInteger(from) || from < 0 || from + format.size > value.bytes.length) return null;
  const { kind, size, isLittle } = format;
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset + from, size);
  if (kind === "d") return new PyFloat(view.getFloat64(0, isLittle));
  if (kind === "f") return new PyFloat(view.getFloat32(0, isLittle));
  if (kind === "e") return new PyFloat(view.getFloat16(0, isLittle));
  if (kind === "?") return view.getUint8(0) !== 0;
  let whole = 0n;
  for (let at = 0; at < size; at++) whole |= BigInt(view.getUint8(isLittle ? at : size - 1 - at)) << BigInt(8 * at);
  return fromBigInt(kind === kind.toLowerCase() ? BigInt.asIntN(size * 8, whole) : whole);
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  œ: "oe",
};

function slug(value: Value, args: Arguments): string {
  const text = str(value);
  if (text === "") return "";
  const plain = text
    .replace(/[ßæÆøØłŁđœ]/g, (one) => LETTERS[one] ?? one)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "");
  const separator = args.has(0, "separator") ? str(args.get(0, "separator")).slice(0, 10) : "_";
  const words = plain
    .toLowerCase()
    .replace(/['’]/g, "-")
    .replace(/(\d),(?=\d)/g, "$1")
    .match(/[a-z0-9]+/g);
  return words?.join(separator) ?? "unknown";
}

const plus = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

function urlencoded(value: Value): string {
  try {
    if (value instanceof Map)
      return [...value]
        .map(([key, one]) => `${plus(str(key))}=${plus(str(one))}`)
        .join("&")
        .replaceAll("%20", "+");
    return plus(str(value)).replaceAll("%2F", "/");
  } catch {
    throw new TemplateError("urlencode: this text has half a character");
  }
}

export const BYTE_FILTERS: Readonly<Record<string, Filter>> = {
  base64_decode: decoded,
  base64_encode: (value) =>
    (value instanceof PyBytes ? Buffer.from(value.bytes) : Buffer.from(str(value))).toString("base64"),
  from_hex: fromHex,
  md5: hash("md5"),
  ord: (value) => {
    if (typeof value !== "string" || [...value].length !== 1) throw new TemplateError("ord needs one character");
    return value.codePointAt(0) ?? 0;
  },
  pack,
  sha1: hash("sha1"),
  sha256: hash("sha256"),
  sha512: hash("sha512"),
  slugify: slug,
  unpack,
  urlencode: urlencoded,
};
