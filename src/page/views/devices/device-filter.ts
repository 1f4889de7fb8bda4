// Which devices the table shows, and in which order: all of it is in the address.
import type { Device } from "../../model/device/device.ts";
import { batteryOf, isLow } from "../../model/device/sensor-words.ts";
import { areaName } from "../../state/house/areas.ts";
import { textFor } from "../../texts/index.ts";

export const SORTS = ["name", "area", "type", "state", "battery", "seen"] as const;
export type Sort = (typeof SORTS)[number];
export const STATES = ["available", "offline", "low_battery"] as const;

export interface DeviceFilter {
  q: string;
  area: string;
  type: string;
  state: string;
  sort: Sort;
  down: boolean;
}

/** `-`: none. */
export const NONE = "-";

export function typeInWords(type: string | null): string {
  return type === null ? "" : (textFor(`type.${type}`) ?? words(type));
}

/** `contact_sensor` → `Contact sensor`. */
function words(type: string): string {
  const text = type.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Several types have one word: for people that is one kind. */
function isOfKind(type: string | null, wanted: string): boolean {
  return (type ?? NONE) === wanted || (type !== null && typeInWords(type) === typeInWords(wanted));
}

export function filterIn(query: URLSearchParams): DeviceFilter {
  const text = (name: string): string => query.get(name) ?? "";
  const sort = SORTS.find((one) => one === text("sort")) ?? "name";
  return {
    q: text("q"),
    area: text("area"),
    type: text("type"),
    state: text("state"),
    sort,
    down: text("down") === "1",
  };
}

/** Every word of the search is somewhere in what is known of the device. */
export function filtered(list: readonly Device[], filter: DeviceFilter): Device[] {
  const words = plain(filter.q).split(/\s+/).filter(Boolean);
  return list
    .filter(({ area }) => filter.area === "" || (area ?? NONE) === filter.area)
    .filter(({ device_type: type }) => filter.type === "" || isOfKind(type, filter.type))
    .filter((device) => hasState(device, filter.state))
    .filter((device) => words.length === 0 || isFound(textOf(device), words));
}

function isFound(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function hasState(device: Device, state: string): boolean {
  if (state === "available") return device.available;
  if (state === "offline") return !device.available;
  return state !== "low_battery" || isLow(device);
}

/** Without case and accents. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

const texts = new WeakMap<Device, string>();

function textOf(device: Device): string {
  let text = texts.get(device);
  if (text === undefined) {
    const { id, name, area, device_type, plugin_id, manufacturer, model, sw_version, attributes } = device;
    const areaText = area === null ? "" : `${area}\n${areaName(area)}`;
    const values = Object.entries(attributes).map(([key, value]) =>
      typeof value === "string" ? `${key}\n${value}` : key,
    );
    const fields = [id, name, areaText, device_type, plugin_id, manufacturer, model, sw_version, ...values];
    text = plain(fields.filter(Boolean).join("\n").slice(0, 5000));
    texts.set(device, text);
  }
  return text;
}

export function sorted(
  list: readonly Device[],
  { sort, down }: DeviceFilter,
  stateOf: (device: Device) => string,
): Device[] {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  // What is unknown comes last, whichever way.
  const keyed = list.map((device) => ({ device, key: keyOf(device, sort, stateOf) }));
  const compare = (a: string | number, b: string | number): number =>
    typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  keyed.sort(function byKey({ key: a, device: one }, { key: b, device: other }) {
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined) || compare(one.name, other.name);
    return (down ? -compare(a, b) : compare(a, b)) || compare(one.name, other.name) || compare(one.id, other.id);
  });
  return keyed.map(({ device }) => device);
}

function keyOf(device: Device, sort: Sort, stateOf: (device: Device) => string): string | number | undefined {
  switch (sort) {
    case "area":
      return device.area === null ? undefined : areaName(device.area);
    case "type":
      return device.device_type ?? undefined;
    case "state":
      return stateOf(device);
    case "battery":
      // One that only says that it is low comes with those that are.
      return batteryOf(device) ?? (isLow(device) ? 0 : undefined);
    case "seen":
      return device.last_seen === null ? undefined : Date.parse(device.last_seen);
    default:
      return device.name;
  }
}
