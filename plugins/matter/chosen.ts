// Which of the hub's devices are bridged.
import type { Config } from "./config.ts";
import type { HubDevice } from "./hub.ts";
import { SCENE, sceneIdOf } from "./scenes.ts";

type Choice = Pick<Config, "areas" | "tags" | "devices" | "except" | "scenes">;

export function chooser({ areas, tags, devices, except, scenes }: Choice): (device: HubDevice) => boolean {
  return ({ id, name, area, tags: given, device_type }) => {
    if (device_type === SCENE) return scenes.includes(sceneIdOf(id) ?? "") || scenes.includes(name);
    if (except.includes(id)) return false;
    if (devices.includes(id)) return true;
    if (device_type === "lock") return false;
    if (areas.length === 0 && tags.length === 0) return devices.length === 0;
    return (area !== null && areas.includes(area)) || given.some((tag) => tags.includes(tag));
  };
}
