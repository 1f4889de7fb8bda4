// Attributes that are passwords (`format` is `password` in what their device says of itself): they are passed on to the device, and
// kept nowhere. What it reports of them is left out, and a command for one is shown without its value.
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { MASK } from "../../kit/text/masking.ts";
import type { Device, DeviceDetails } from "./device.ts";

/** The names of all of them in the house: where a text does not say which device it is about. */
export function passwordsOf(devices: Iterable<Pick<Device, "details">>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { details } of devices) for (const name of passwordsOfDevice(details)) names.add(name);
  return names;
}

/** A device that describes itself anew gets other details. */
const known = new WeakMap<DeviceDetails, readonly string[]>();

/** The names of those of one device. */
export function passwordsOfDevice(details: DeviceDetails): readonly string[] {
  const names = known.get(details) ?? passwordsIn(details);
  known.set(details, names);
  return names;
}

function passwordsIn({ schema, capabilities }: DeviceDetails): string[] {
  const described = [schema, capabilities].flatMap((one) =>
    isObject(one?.properties) ? Object.entries(one.properties) : [],
  );
  return described.flatMap(([name, property]) => (isObject(property) && property.format === "password" ? [name] : []));
}

/** A command as others may see it: the same object where none of them is in it. */
export function shownCommand(details: DeviceDetails, command: JsonObject): JsonObject {
  const named = passwordsOfDevice(details).filter((name) => Object.hasOwn(command, name));
  if (named.length === 0) return command;
  return { ...command, ...Object.fromEntries(named.map((name) => [name, MASK])) };
}
