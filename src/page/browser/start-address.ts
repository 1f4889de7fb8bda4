// Addresses on the start: the query says which sheet is open, and whether the page hangs on a wall.
import { computed, signal } from "@preact/signals";

const query = signal(location.search);

/** To be called where the address has changed. */
export function noteAddress(): void {
  query.value = location.search;
}

const isOnWall = computed(() => new URLSearchParams(query.value).has("wall"));

/** Of a device's sheet. Other changes of the address leave it alone, so that they redraw no tiles. */
export function sheetAddress(id: string): string {
  return `/?${isOnWall.value ? "wall=&" : ""}device=${encodeURIComponent(id)}`;
}

/** The present address with other values in its query; undefined takes one away. */
export function here(changed: Readonly<Record<string, string | undefined>>): string {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
}
