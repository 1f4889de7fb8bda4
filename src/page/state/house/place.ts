// Where the house is: its time zone, and enough of its place to distinguish day from night.
import { effect, signal } from "@preact/signals";
import { setZone } from "../../browser/zone.ts";
import { get } from "../hub/api.ts";
import { connection } from "../hub/live.ts";

export interface Place {
  latitude: number;
  longitude: number;
}

/** Undefined where the house has none, or until it is read. */
export const place = signal<Place | undefined>(undefined);

interface Status {
  place: { timezone: string; latitude: number | null; longitude: number | null };
}

/** Reads it whenever the hub is reached again: it may have another configuration then. */
export function watchPlace(): void {
  effect(() => {
    if (connection.value.state === "live") void read();
  });
}

async function read(): Promise<void> {
  try {
    const { timezone, latitude, longitude } = (await get<Status>("/system/status")).place;
    setZone(timezone);
    place.value = latitude === null || longitude === null ? undefined : { latitude, longitude };
  } catch {}
}
