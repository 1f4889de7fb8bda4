// Other names than ids by which a device can be found: its alias, `area.name`, and its name alone. A name that several
// devices have finds none of them.
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

export interface DeviceNames {
  /** The id that a text means: ids come first, then aliases, then `kitchen.ceiling_lamp`, then `Ceiling lamp`. */
  idOf(text: string): string | undefined;
  /** Called when another device may be meant than before. */
  onChanged(name: string, listener: () => void): Disposable;
}

/** Undefined where several devices have the name. */
type Index = Map<string, string | undefined>;

export function createDeviceNames(registry: Pick<Registry, "find" | "list" | "onIdentified">): DeviceNames {
  let index: readonly Index[] | undefined;
  registry.onIdentified("device names", () => {
    index = undefined;
  });
  return {
    idOf(text) {
      if (registry.find(text)) return text;
      index ??= indexOf(registry.list());
      const [aliases, canonical, names] = index;
      return aliases?.get(text) ?? canonical?.get(canonicalOf(text)) ?? names?.get(segmentOf(text));
    },
    onChanged: (name, listener) => registry.onIdentified(name, listener),
  };
}

function indexOf(devices: Iterable<Device>): readonly Index[] {
  const [aliases, canonical, names]: [Index, Index, Index] = [new Map(), new Map(), new Map()];
  const add = (to: Index, name: string, id: string): void => void to.set(name, to.has(name) ? undefined : id);
  for (const device of devices) {
    const { id, name, area } = device;
    if ("alias" in device && typeof device.alias === "string") add(aliases, device.alias, id);
    if (area !== undefined) add(canonical, `${segmentOf(area)}.${segmentOf(name)}`, id);
    add(names, segmentOf(name), id);
  }
  return [aliases, canonical, names];
}

function canonicalOf(text: string): string {
  return text.split(".").map(segmentOf).join(".");
}

/** `Ceiling Lamp` is `ceiling_lamp`. */
function segmentOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}
