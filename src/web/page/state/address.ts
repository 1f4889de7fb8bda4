// Addresses made of the present one: the query says which sheet is open, and whether the page hangs on a wall.
import { signal } from "@preact/signals";

/** The query of the address that is shown. */
export const query = signal(new URLSearchParams(location.search));

/** Keeps `query`; called where the address has changed. */
export function noteAddress(url: string): void {
  const at = url.indexOf("?");
  const next = new URLSearchParams(at < 0 ? "" : url.slice(at).split("#", 1)[0]);
  if (next.toString() !== query.peek().toString()) query.value = next;
}

/** The present address with other values in its query; undefined takes one away. */
export function here(changed: Readonly<Record<string, string | undefined>>): string {
  const next = new URLSearchParams(query.peek());
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
}
