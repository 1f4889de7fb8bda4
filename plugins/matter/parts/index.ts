// All of Matter's device types that a device of the hub is shown as.
import type { HubDevice } from "../hub.ts";
import { climate } from "./climate.ts";
import { cover } from "./cover.ts";
import { fan } from "./fan.ts";
import { light } from "./light.ts";
import { lock } from "./lock.ts";
import { onOff } from "./on-off.ts";
import type { MakePart, Part } from "./part.ts";
import { scene } from "./scene.ts";
import { sensors } from "./sensors.ts";

const MAKERS: readonly MakePart[] = [light, onOff, cover, lock, climate, fan, scene, ...sensors];

/** None for a device that Matter has no type for. */
export function partsOf(device: HubDevice): Part[] {
  return MAKERS.flatMap((make) => make(device) ?? []);
}
