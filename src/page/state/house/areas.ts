// The areas of the house and their names. A device says only the id of its area.
import { signal } from "@preact/signals";
import { get, post } from "../hub/api.ts";
import { useHubData } from "../hub/watched.ts";

export interface Area {
  id: string;
  name: string;
  devices: number;
  declared: boolean;
}

export const areas = signal<readonly Area[]>([]);

/** Throws ApiError. */
export async function readAreas(): Promise<void> {
  areas.value = await get<Area[]>("/areas");
}

/** Its id where it has no name (yet). */
export function areaName(id: string): string {
  return areas.value.find((area) => area.id === id)?.name ?? id;
}

/** The area of that name, made where there is none. Throws ApiError. */
export async function areaCalled(name: string): Promise<Area> {
  const known = areas.peek().find((area) => area.name === name || area.id === name);
  if (known) return known;
  const made = await post<Area>("/areas", { name });
  areas.value = [...areas.peek(), made].sort((a, b) => a.name.localeCompare(b.name));
  return made;
}

// The areas of the house, as the hub names them.
const AFTER = ["plugin_registered", "device_name_changed"] as const;

export function useAreas() {
  const { value, ...rest } = useHubData<Area[]>("/areas", { after: AFTER });
  return { ...rest, areas: value, areaName: (id: string) => value?.find((area) => area.id === id)?.name ?? id };
}
