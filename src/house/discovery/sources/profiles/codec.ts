// Between what a device sends and the value of an attribute.
import { isObject, type Json } from "../../../../kit/schema/json.ts";
import { numberIn } from "../../../../kit/text/formats.ts";
import type { AttributeType } from "../../described.ts";
import { RGB, wrong } from "../../words.ts";
import type { AttributeTable, ButtonTable } from "./schema.ts";

/** Undefined where nothing in the table says it. */
export function typeOf(table: Partial<AttributeTable & ButtonTable>): AttributeType | undefined {
  if (table.type !== undefined) return table.type;
  const numeric = [table.unit, table.min, table.max, table.step, table.scale, table.offset, table.decimals];
  if (numeric.some((one) => one !== undefined)) return "number";
  if (table.options !== undefined || table.format !== undefined) return "string";
  const kinds = new Set(Object.values(table.map ?? {}).map((one) => typeof one));
  const [only] = kinds;
  return kinds.size === 1 ? (only as AttributeType) : undefined;
}

const TRUE = new Set(["true", "on", "1", "yes", "open", "online"]);
const FALSE = new Set(["false", "off", "0", "no", "closed", "offline"]);

/** Undefined for what is no value of the attribute; null is one that the device does not know. */
export function decode(table: AttributeTable, type: AttributeType, raw: Json): Json | undefined {
  if (raw === null) return null;
  const key = typeof raw === "object" ? undefined : String(raw).trim();
  const mapped = key !== undefined && table.map && Object.hasOwn(table.map, key) ? table.map[key] : raw;
  switch (type) {
    case "boolean":
      return typeof mapped === "boolean" ? mapped : truth(mapped);
    case "number":
      return scaled(table, numberIn(mapped));
    case "string":
      return typeof mapped === "object" ? undefined : String(mapped);
    case "array":
      return Array.isArray(mapped) ? mapped : undefined;
    default:
      return isObject(mapped) ? mapped : undefined;
  }
}

function truth(value: Json | undefined): boolean | undefined {
  const word = typeof value === "string" || typeof value === "number" ? String(value).trim().toLowerCase() : "";
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
}

function scaled({ scale = 1, offset = 0, decimals }: AttributeTable, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  return scale === 1 && offset === 0 && decimals === undefined ? value : rounded(value * scale + offset, decimals ?? 6);
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

type Wanted = Pick<AttributeTable, "map" | "scale" | "offset" | "min" | "max" | "unit" | "options"> & {
  type: AttributeType;
  /** What is sent for each value. */
  sent: AttributeTable["map"];
};

/** What the device is to be sent for the value. Throws HubError `invalid` for what it does not take. */
export function encode(table: Wanted, value: Json, name: string): Json {
  const { sent, map } = table;
  const word =
    typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? String(value) : "";
  if (!(sent && Object.hasOwn(sent, word) && value === "toggle")) checkValue(table, value, name);
  if (sent && Object.hasOwn(sent, word)) return sent[word] as Json;
  const reverse = Object.entries(map ?? {}).find(([, meaning]) => meaning === value)?.[0];
  if (reverse !== undefined && !sent) return plain(reverse);
  const { scale = 1, offset = 0 } = table;
  return typeof value === "number" && (scale !== 1 || offset !== 0) ? rounded((value - offset) / scale, 6) : value;
}

/** The keys of a table are texts: `1` is meant as the number, and `true` as no text. */
function plain(key: string): Json {
  if (key === "true" || key === "false") return key === "true";
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(key) ? Number(key) : key;
}

function checkValue({ type, min, max, unit, options, sent }: Wanted, value: Json, name: string): void {
  if (name === "color_rgb") RGB.to(value, name);
  if (type === "boolean" && typeof value !== "boolean")
    throw wrong(name, `must be true or false${sent && Object.hasOwn(sent, "toggle") ? ', or "toggle"' : ""}`);
  if (type === "number" && typeof value !== "number") throw wrong(name, "must be a number");
  if (typeof value === "number" && ((min !== undefined && value < min) || (max !== undefined && value > max)))
    throw wrong(name, `must be from ${min ?? "…"} to ${max ?? "…"}${unit ? ` ${unit}` : ""}, not ${value}`);
  if (type === "string" && typeof value !== "string") throw wrong(name, "must be a text");
  if (type === "string" && options && !options.includes(value as string))
    throw wrong(name, `must be one of ${options.join(", ")}`);
  if (type === "array" && !Array.isArray(value)) throw wrong(name, "must be a list");
  if (type === "object" && !isObject(value)) throw wrong(name, "must be an object");
}
