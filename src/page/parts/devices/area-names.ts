// The areas of the house, as the hub names them.

import { useHubData } from "../../state/hub/watched.ts";
export interface Area {
  id: string;
  name: string;
  devices: number;
  declared: boolean;
}

const AFTER = ["plugin_registered", "device_name_changed"] as const;

export function useAreas() {
  const { value, ...rest } = useHubData<Area[]>("/areas", { after: AFTER });
  return { ...rest, areas: value, areaName: (id: string) => value?.find((area) => area.id === id)?.name ?? id };
}
