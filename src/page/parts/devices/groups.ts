// Groups of devices as the hub keeps them: making, changing and removing them.

import { dropDevice } from "../../state/house/devices.ts";
import { readDevice } from "../../state/house/house.ts";
import { patch, post, remove } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

export interface Group {
  id: string;
  name: string;
  area: string | null;
  members: string[];
  device_type: string;
}

export const GROUP_EVENTS = ["device_name_changed", "device_availability_changed"] as const;

const at = (id: string): string => `/groups/${encodeURIComponent(id)}`;

export async function createGroup(name: string, members: readonly string[]): Promise<void> {
  const { id } = await post<Group>("/groups", { name, members });
  await readDevice(id);
}

export async function changeGroup(id: string, change: Partial<Pick<Group, "name" | "members">>): Promise<void> {
  await patch(at(id), change);
  await readDevice(id);
}

export async function removeGroup(group: Group, read: () => Promise<void>): Promise<void> {
  const { device_type: _, ...made } = group;
  await remove(at(group.id));
  dropDevice(group.id);
  await read();
  const undo = async (): Promise<void> => {
    await post("/groups", made);
    await readDevice(group.id);
    await read();
  };
  toast(t("house.removed", { name: group.name }), () => void undo().catch(() => toast(t("house.undo_failed"))));
}
