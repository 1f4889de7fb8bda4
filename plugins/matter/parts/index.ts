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
import { smokeAndCo } from "./smoke-co.ts";
import { type View, viewsOf } from "./views.ts";

const MAKERS: readonly MakePart[] = [light, onOff, cover, lock, climate, fan, scene, smokeAndCo, ...sensors];

/** None for a device that Matter has no type for. */
export function partsOf(device: HubDevice): Part[] {
  return viewsOf(device).flatMap((view) => MAKERS.flatMap((make) => make(view.device) ?? []).map(seenBy(view)));
}

const seenBy =
  ({ part: of, read, write }: View) =>
  (part: Part): Part => ({
    ...part,
    id: of === undefined ? part.id : `${part.id}_${of.replace(/[^A-Za-z0-9_-]/g, "-")}`,
    values: (attributes) => part.values(read(attributes)),
    ...(part.watch && { watch: (endpoint, ask) => part.watch?.(endpoint, (command) => ask(write(command))) }),
  });
