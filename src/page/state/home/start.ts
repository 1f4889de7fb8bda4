// What the start shows, and in which order: favourites, the house's own things, scenes, and each area with its devices.

import { computed, type Signal } from "@preact/signals";
import type { Device } from "../../model/device/device.ts";
import { hasSomethingToShow } from "../../model/device/kinds.ts";
import { devices, shape } from "../house/devices.ts";
import { areaName, areas, type Scene, scenes, type Variable, variables } from "../house/lists.ts";
import { type Layout, layout } from "./layout.ts";

export type Item =
  | { key: string; kind: "device"; device: Signal<Device> }
  | { key: string; kind: "scene"; scene: Scene }
  | { key: string; kind: "variable"; variable: Variable };

export interface Section {
  /** The area's id, or one of the names below. */
  id: string;
  /** Of an area. */
  name: string;
  items: Item[];
}

/** What is no area. No id of an area has a slash. */
export const FAVOURITES = "/favourites";
export const HOUSE = "/house";
export const SCENES = "/scenes";
export const VARIABLES = "/variables";
/** Devices without an area. */
export const ELSEWHERE = "";

const FIRST = [HOUSE, SCENES];
const LAST = [ELSEWHERE, VARIABLES];
const HOUSE_TYPES = ["mode", "timer"];

const everything = computed(() => {
  // Grows where a device becomes another: their values are only peeked at.
  shape.value;
  const all: Item[] = [...devices.value.values()].map((device) => ({
    key: `device/${device.peek().id}`,
    kind: "device",
    device,
  }));
  for (const scene of scenes.value.value) all.push({ key: `scene/${scene.id}`, kind: "scene", scene });
  for (const variable of variables.value.value)
    all.push({ key: `variable/${variable.name}`, kind: "variable", variable });
  return all;
});

/** By the spelling that people take for the same: `Living Room`, `living_room`. */
const areaIds = computed((): ReadonlyMap<string, string> => {
  shape.value;
  const ids = new Map<string, string>();
  const claim = (spelling: string, id: string): unknown => ids.has(plain(spelling)) || ids.set(plain(spelling), id);
  for (const { id, name } of areas.value.value) {
    claim(id, id);
    claim(name, id);
  }
  const reported = [...devices.value.values()].map((device) => device.peek().area ?? "");
  for (const area of reported.sort()) claim(area, area);
  return ids;
});

function plain(spelling: string): string {
  return spelling
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

function homeOf(item: Item): string {
  switch (item.kind) {
    case "scene":
      return SCENES;
    case "variable":
      return VARIABLES;
    case "device": {
      const { area, device_type: type } = item.device.peek();
      if (area !== null && area !== "") return areaIds.value.get(plain(area)) ?? area;
      return HOUSE_TYPES.includes(type ?? "") ? HOUSE : ELSEWHERE;
    }
  }
}

export function nameOf(item: Item): string {
  if (item.kind === "device") return item.device.peek().name;
  return item.kind === "scene" ? item.scene.name : item.variable.name;
}

/** All there is, by section and in order: what is hidden, too. */
export const allSections = computed((): Section[] => {
  const { areas, tiles } = layout.value;
  const bySection = new Map<string, Item[]>();
  for (const item of everything.value) {
    const home = homeOf(item);
    const inside = bySection.get(home);
    if (inside) inside.push(item);
    else bySection.set(home, [item]);
  }
  const place = placesIn(tiles);
  return ordered([...bySection.keys()], areas).map((id) => ({
    id,
    name: id.startsWith("/") ? "" : areaName(id),
    items: (bySection.get(id) ?? [])
      .map((item) => ({ item, at: place(item.key), name: nameOf(item) }))
      .sort((a, b) => a.at - b.at || a.name.localeCompare(b.name))
      .map(({ item }) => item),
  }));
});

/** What people see. Variables are for those who have starred them. */
export const sections = computed((): Section[] => {
  const { hidden } = layout.value;
  const out = new Set(hidden);
  const shown = allSections.value
    .filter(({ id }) => id !== VARIABLES)
    .map((section) => ({ ...section, items: section.items.filter((item) => !out.has(item.key) && isWorthIt(item)) }))
    .filter(({ items }) => items.length > 0);
  const starred = favourites.value;
  return starred.length > 0 ? [{ id: FAVOURITES, name: "", items: starred }, ...shown] : shown;
});

export const favourites = computed((): Item[] => {
  const byKey = new Map(everything.value.map((item) => [item.key, item]));
  return layout.value.favourites.flatMap((key) => byKey.get(key) ?? []);
});

export function isWorthIt(item: Item): boolean {
  return item.kind !== "device" || hasSomethingToShow(item.device.peek());
}

function ordered(ids: readonly string[], wanted: Layout["areas"]): string[] {
  const place = placesIn(wanted);
  const rank = (id: string): number => (FIRST.includes(id) ? -1 : LAST.includes(id) ? 1 : 0);
  return [...ids].sort((a, b) => place(a) - place(b) || rank(a) - rank(b) || areaName(a).localeCompare(areaName(b)));
}

/** What is not named comes last. */
function placesIn(list: readonly string[]): (one: string) => number {
  const places = new Map(list.map((one, at) => [one, at]));
  return (one) => places.get(one) ?? list.length;
}
