// Attributes that cannot be reached while their device can: one of its parts is away. They keep the values that they had.
import { isObject, jsonEqual } from "../../kit/schema/json.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";
import { propertiesIn } from "./words/senses.ts";

export interface UnavailableNotes {
  registry: Pick<Registry, "find" | "given">;
  emit: (event: HubEvent) => void;
}

/** `names`: all of them, as the device's source calls them. Nothing for an unknown device. */
export function noteUnavailable({ registry, emit }: UnavailableNotes, id: string, names: readonly string[]): void {
  const device = registry.find(id);
  if (!device) return;
  const unavailable = describedOf(device, (name) => names.includes(registry.given.ownOf(id, name)));
  if (jsonEqual([...device.unavailable], unavailable)) return;
  device.unavailable = unavailable;
  emit({ type: "device_attributes_unavailable", device_id: id, unavailable });
}

/** With what is made of them. */
function describedOf({ details }: Device, isOne: (name: string) => boolean): string[] {
  const properties = propertiesIn(details.schema) ?? {};
  const isMeant = (name: string, isMade = false): boolean => {
    const property = properties[name];
    if (!isObject(property)) return false;
    const { reported_as: reportedAs, of } = property;
    if (isOne(typeof reportedAs === "string" ? reportedAs : name)) return true;
    return typeof of === "string" && !isMade && isMeant(of, true);
  };
  return Object.keys(properties).filter((name) => isMeant(name));
}
