// Scenes as the hub keeps them: making, changing, activating and removing them.

import { type Device, isGroup, propertyOf } from "../../model/device/device.ts";
import type { Attributes, Json } from "../../model/device/json.ts";
import { devices } from "../../state/house/devices.ts";
import { patch, post, remove } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

/** Device id → the wanted state. */
export type States = Record<string, Attributes>;

export interface Scene {
  id: string;
  name: string;
  states: States;
  updated_at: string;
}

export interface Activation {
  sent: { device_id: string }[];
  failed: { device_id: string; code: string; error: string }[];
}

export const SCENE_EVENTS = ["scene_activated"] as const;
const MASK = '"•••"';

const at = (id: string): string => `/scenes/${encodeURIComponent(id)}`;

/** `force`: devices that are not reachable are sent their command as well. */
export const activate = (id: string, force: boolean): Promise<Activation> =>
  post<Activation>(`${at(id)}/activate${force ? "?force=true" : ""}`);
export const rename = (id: string, name: string): Promise<Scene> => patch<Scene>(at(id), { name });
export const saveStates = (id: string, states: States): Promise<Scene> => patch<Scene>(at(id), { states });
export const capture = (id: string): Promise<Scene> => post<Scene>(`${at(id)}/capture`);

/** Removed for ten seconds, then for good: what holds secrets that are not shown here cannot be made again. */
export async function removeScene({ id, name, states }: Scene, read: () => Promise<void>): Promise<void> {
  await remove(at(id));
  await read();
  const undo = async (): Promise<void> => {
    await post("/scenes", { id, name, states });
    await read();
  };
  toast(
    t("house.removed", { name }),
    JSON.stringify(states).includes(MASK) ? undefined : () => void undo().catch(() => toast(t("house.undo_failed"))),
  );
}

/** What of a device a scene can hold, as the hub captures it; empty where there is nothing. */
export function statesOf(device: Device): Attributes {
  const { attributes, plugin_id: plugin, device_type: type } = device;
  if (plugin === "core" && !isGroup(device)) return statesOfOwn(type, attributes);
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => {
      const { readOnly, derived, category } = propertyOf(device, name);
      return value !== null && !readOnly && !derived && category === undefined && !name.startsWith("battery");
    }),
  );
}

function statesOfOwn(type: string | null, { on = false, enabled = true }: Attributes): Attributes {
  if (type === "timer") return { command: "cancel" };
  if (type === "schedule") return { enabled };
  return type === "calendar" ? {} : { on };
}

/** Whether there is something to set; what only measures is left out. */
export function isOfScenes(device: Device): boolean {
  return !/sensor|button|remote/.test(device.device_type ?? "") && Object.keys(statesOf(device)).length > 0;
}

/** What a device would have to change: its attributes that are another now. */
export function changesOf(id: string, wanted: Attributes): string[] {
  const now = devices.value.get(id)?.value.attributes;
  return Object.entries(wanted).flatMap(([name, value]) => (now && isSame(now[name], value) ? [] : [name]));
}

function isSame(a: Json | undefined, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
