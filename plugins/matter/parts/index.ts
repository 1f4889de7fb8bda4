// All of Matter's device types that a device of the hub is shown as.
import type { HubDevice } from "../hub.ts";
import { airQuality } from "./air-quality.ts";
import { buttonsOf } from "./buttons.ts";
import { climate } from "./climate.ts";
import { cover } from "./cover.ts";
import { withElectricity } from "./electricity.ts";
import { fan } from "./fan.ts";
import { light } from "./light.ts";
import { lock } from "./lock.ts";
import { onOff } from "./on-off.ts";
import type { MakePart, Part } from "./part.ts";
import { scene } from "./scene.ts";
import { sensors } from "./sensors.ts";
import { smokeAndCo } from "./smoke-co.ts";
import { valve } from "./valve.ts";
import { type View, viewsOf } from "./views.ts";

const MAKERS: readonly MakePart[] = [
  ...[light, onOff, valve, cover, lock, climate, fan, scene, smokeAndCo, ...sensors],
  airQuality,
];

/** None for a device that Matter has no type for. */
export function partsOf(device: HubDevice): Part[] {
  return viewsOf(device).flatMap((view) => {
    const parts = MAKERS.flatMap((make) => make(view.device) ?? []);
    return [...withElectricity(view.device, parts), ...buttonsOf(view.device)].map(seenBy(view));
  });
}

const seenBy =
  ({ part: of, read, write }: View) =>
  (part: Part): Part => ({
    ...part,
    id: of === undefined ? part.id : `${part.id}_${of.replace(/[^A-Za-z0-9_-]/g, "-")}`,
    values: (attributes) => part.values(read(attributes)),
    ...(part.watch && {
      watch: (endpoint, ask) => part.watch?.(endpoint, (context, command) => ask(context, write(command))),
    }),
  });
