// What people may call the devices and groups of a bridge in commands.
import { isObject, type Json } from "../../../../kit/schema/json.ts";
import { wrong } from "../../words.ts";

export interface Named {
  kind: "device" | "group";
  /** What the bridge knows it by. */
  id: string;
}

export class Names {
  /** By address and by name: also what is not described, such as a device that is still being interviewed. */
  #devices = new Set<string>();
  /** Name by name, by number and by the hub's id. */
  #groups = new Map<string, string>();

  /** `bridge/devices` */
  setDevices(list: readonly Json[]): void {
    const names = list.filter(isObject).flatMap((one) => [one.ieee_address, one.friendly_name]);
    this.#devices = new Set(names.filter((name) => typeof name === "string"));
  }

  setGroups(groups: readonly { id: number; name: string }[], idOf: (id: number) => string): void {
    this.#groups = new Map(groups.flatMap(({ id, name }) => [String(id), idOf(id), name].map((one) => [one, name])));
  }

  /** Throws HubError `invalid`. */
  resolve(name: string): Named {
    if (this.#devices.has(name)) return { kind: "device", id: name };
    const group = this.#groups.get(name);
    if (group !== undefined) return { kind: "group", id: group };
    throw wrong("device", `the bridge has no device or group "${name}"`);
  }
}
