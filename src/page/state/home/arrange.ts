// Changes of the layout that a person makes: what goes where, what is starred, what is hidden.

import { type GuestThings, guests } from "../house/lists.ts";
import { put } from "../hub/api.ts";
import { changeLayout, type Layout, layout } from "./layout.ts";

export function orderAreas(areas: string[]): void {
  changeLayout((layout) => ({ ...layout, areas }));
}

/** `keys`: all tiles of one section. The others stay where they are. */
export function orderTiles(keys: readonly string[]): void {
  const moved = new Set(keys);
  changeLayout((layout) => ({ ...layout, tiles: [...layout.tiles.filter((key) => !moved.has(key)), ...keys] }));
}

export function orderFavourites(favourites: string[]): void {
  changeLayout((layout) => ({ ...layout, favourites }));
}

export function toggle(list: "favourites" | "hidden", key: string): void {
  changeLayout((layout: Layout) => ({ ...layout, [list]: toggled(layout[list], key) }));
}

/** Throws ApiError. */
export async function toggleGuest(key: string): Promise<void> {
  const [kind, id] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
  const list: keyof GuestThings = kind === "scene" ? "scenes" : "devices";
  await guests.read();
  const held = guests.value.peek();
  guests.value.value = await put<GuestThings>("/ui/guests", { ...held, [list]: toggled(held[list], id) });
}

function toggled(list: readonly string[], one: string): string[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}

/** For all who have not arranged anything. */
export const shareLayout = (): Promise<void> => put("/ui/layout/default", layout.value);
