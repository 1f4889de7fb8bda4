// Made-up Zigbee devices, as Zigbee2MQTT describes them, and what each says of itself.

export interface ZigbeeDevice {
  ieee_address: string;
  type: string;
  friendly_name: string;
  definition: { model: string; vendor: string; exposes: unknown[]; options: unknown[]; description?: string } | null;
  [more: string]: unknown;
}

export interface Member {
  device: ZigbeeDevice;
  state: Record<string, unknown>;
}

interface Kind {
  name: string;
  exposes: unknown[];
  state: (index: number) => Record<string, unknown>;
}

const numeric = (name: string, access: number, more: object = {}) => ({
  ...{ type: "numeric", name, property: name, access },
  ...more,
});
const binary = (name: string, access: number, on: unknown, off: unknown) => ({
  ...{ type: "binary", name, property: name, access, value_on: on, value_off: off },
});
const onOff = binary("state", 7, "ON", "OFF");
const brightness = numeric("brightness", 7, { value_min: 0, value_max: 254 });
const battery = numeric("battery", 1, { unit: "%", value_min: 0, value_max: 100 });
const linkquality = numeric("linkquality", 1, { category: "diagnostic" });

const KINDS: readonly Kind[] = [
  {
    name: "lamp",
    exposes: [{ type: "light", features: [onOff, brightness] }, linkquality],
    state: (index) => ({ state: index % 2 === 0 ? "ON" : "OFF", brightness: 40 + (index % 200), linkquality: 90 }),
  },
  {
    name: "plug",
    exposes: [{ type: "switch", features: [onOff] }, numeric("power", 1, { unit: "W" }), linkquality],
    state: (index) => ({ state: index % 3 === 0 ? "ON" : "OFF", power: index * 1.5, linkquality: 120 }),
  },
  {
    name: "climate sensor",
    exposes: [numeric("temperature", 1, { unit: "°C" }), numeric("humidity", 1, { unit: "%" }), battery, linkquality],
    state: (index) => ({ temperature: 17 + (index % 60) / 10, humidity: 40 + (index % 20), battery: 5 + (index % 95) }),
  },
  {
    name: "door contact",
    exposes: [binary("contact", 1, true, false), battery, linkquality],
    state: (index) => ({ contact: index % 4 !== 0, battery: 80, linkquality: 60 }),
  },
  {
    name: "motion sensor",
    exposes: [binary("occupancy", 1, true, false), battery, linkquality],
    state: (index) => ({ occupancy: index % 5 === 0, battery: 70, linkquality: 60 }),
  },
  {
    name: "blind",
    exposes: [{ type: "cover", features: [numeric("position", 7, { value_min: 0, value_max: 100 })] }, linkquality],
    state: (index) => ({ position: (index * 7) % 101, linkquality: 75 }),
  },
];
const PLACES = ["Hall", "Kitchen", "Living room", "Bedroom", "Bath", "Office", "Cellar", "Garden"];

export const addressOf = (index: number): string => `0x00158d00${index.toString(16).padStart(8, "0")}`;

export function member(index: number, kind: number, name: string): Member {
  const { name: what, exposes, state } = KINDS[kind % KINDS.length] as Kind;
  const definition = { model: `M-${what}`, vendor: "Maker", description: what, exposes, options: [] };
  return {
    device: { ieee_address: addressOf(index), type: "Router", friendly_name: name, definition },
    state: state(index),
  };
}

/** So many, of every kind, `first` being the number of the first. */
export function madeUp(count: number, first = 1000): Member[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = KINDS[index % KINDS.length] as Kind;
    return member(first + index, index, `${PLACES[index % PLACES.length]} ${kind.name} ${index + 1}`);
  });
}
