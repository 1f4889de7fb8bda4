// Which devices protect a house: locks, alarm systems, doors of garages. What is done to them is logged, and assistants need them named.
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { isObject } from "../../kit/schema/json.ts";
import { describedAttributes } from "./commands/command-check.ts";
import type { Device } from "./device.ts";

const TYPES = /(^|[^a-z])(lock|alarm|siren|garage|gate|safe|security)([^a-z]|$)/i;
const CLASSES = /^(door|garage|gate|lock)$/i;

/** Whether a word in the type says so. */
export function isProtectiveType(deviceType: string): boolean {
  return TYPES.test(deviceType);
}

/**
 * By its type, by what it describes (a cover that is a garage door), or because it says whether it is locked; of the hub's own
 * switches and timers also by a word in the name, as that is all they have.
 */
export function isProtective({ id, name, pluginId, deviceType = "", details, attributes }: Device): boolean {
  if (pluginId === HUB_PLUGIN_ID && isProtectiveType(`${id} ${name}`)) return true;
  if (isProtectiveType(deviceType) || Object.hasOwn(attributes, "locked")) return true;
  const described = describedAttributes(details) ?? {};
  if (Object.hasOwn(described, "locked")) return true;
  const classes = [details.capabilities, ...Object.values(described)].filter(isObject);
  return deviceType === "cover" && classes.some((one) => CLASSES.test(String(one.class ?? one.device_class ?? "")));
}
