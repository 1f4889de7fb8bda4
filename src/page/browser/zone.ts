// The time zone of the house: its times are shown and entered, whatever zone the browser is in.
import { signal } from "@preact/signals";
import { load, save } from "./storage.ts";

const KEPT = "zone";

/** IANA name; undefined, which is the browser's own, until the hub has reported it once. */
export const zone = signal(known(load<string>(KEPT)));

export function setZone(name: string): void {
  zone.value = known(name);
  save(KEPT, zone.value);
}

/** A browser may be older than a zone. */
function known(name: string | undefined): string | undefined {
  try {
    return name === undefined
      ? undefined
      : new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

/** `2026-11-22T14:02:31`, as clocks in the house show it. */
export function wallClock(at: number): string {
  const clock =
    clocks.get(zone.value) ??
    new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone: zone.value });
  clocks.set(zone.value, clock);
  return clock.format(at).replace(" ", "T");
}

/** `2026-11-22` */
export function houseDay(at: number): string {
  return wallClock(at).slice(0, 10);
}
