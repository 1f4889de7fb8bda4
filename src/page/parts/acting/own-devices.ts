// The hub's own devices: timers, switches and modes. They are commanded as devices are.

import { type Device, isGroup } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { command } from "../../state/house/command.ts";
import { devices, dropDevice, readDevice } from "../../state/house/house.ts";
import { patch, post, remove } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.tsx";
import { idFor } from "./name-editor.tsx";

export type OwnKind = "timers" | "switches";

export function ownDevices(type: "timer" | "switch"): Device[] {
  return [...devices.value.values()]
    .filter((one) => one.peek().plugin_id === "core" && one.peek().device_type === type && !isGroup(one.peek()))
    .map((one) => one.value)
    .sort((a, b) => a.name.localeCompare(b.name));
}

export async function createOwn(kind: OwnKind, name: string): Promise<void> {
  const id = idFor(name, (one) => devices.peek().has(one));
  await post(`/${kind}`, { id, name });
  await readDevice(id);
}

export async function renameOwn(kind: OwnKind, id: string, name: string): Promise<void> {
  await patch(`/${kind}/${encodeURIComponent(id)}`, { name });
  await readDevice(id);
}

/** Undone, it has its name, area and, as a switch, its position again; a timer does not run then. */
export async function removeOwn(
  kind: OwnKind,
  { id, name, area, attributes }: Device,
  after?: () => Promise<void>,
): Promise<void> {
  await remove(`/${kind}/${encodeURIComponent(id)}`);
  dropDevice(id);
  await after?.();
  const undo = async (): Promise<void> => {
    await post(`/${kind}`, { id, name });
    if (area !== null) await patch(`/devices/${encodeURIComponent(id)}`, { area });
    if (kind === "switches" && attributes.on === true) await command(id, { on: true });
    await readDevice(id);
    await after?.();
  };
  toast(t("house.removed", { name }), () => void undo().catch(() => toast(t("house.undo_failed"))));
}

export function commandOwn(id: string, wanted: Attributes): void {
  void command(id, wanted);
}
