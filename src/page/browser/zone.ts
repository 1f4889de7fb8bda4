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

const DAY_MS = 86_400_000;

/**
 * When clocks in the house show this, in epoch ms; NaN where it is no time. Of an hour that comes twice, the first; one that
 * clocks jump over is as much later.
 */
export function momentAt(local: string): number {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return Number.NaN;
  const ahead = (at: number): number => Date.parse(`${wallClock(at)}Z`) - at;
  const [before, after] = [asUtc - ahead(asUtc - DAY_MS), asUtc - ahead(asUtc + DAY_MS)];
  const shown = [before, after].filter((at) => at + ahead(at) === asUtc);
  return shown.length === 0 ? before : Math.min(...shown);
}
