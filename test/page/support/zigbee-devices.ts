// A house of Zigbee devices that are sold, as Zigbee2MQTT describes them, and what each says of itself.

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
  /** Whose it is, and what its maker calls it. */
  model: readonly [vendor: string, model: string];
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
const battery = numeric("battery", 1, { category: "diagnostic", unit: "%", value_min: 0, value_max: 100 });
const diagnostic = (expose: object) => ({ ...expose, category: "diagnostic" });
const notice = (name: string) => binary(name, 1, true, false);
const linkquality = numeric("linkquality", 1, { category: "diagnostic" });

const KINDS: readonly Kind[] = [
  {
    name: "lamp",
    model: ["Sengled", "E11-G23/E11-G33"],
    exposes: [{ type: "light", features: [onOff, brightness] }, linkquality],
    state: (index) => ({ state: index % 2 === 0 ? "ON" : "OFF", brightness: 40 + (index % 200), linkquality: 90 }),
  },
  {
    name: "plug",
    model: ["Sercomm", "SZ-ESW01"],
    exposes: [{ type: "switch", features: [onOff] }, numeric("power", 1, { unit: "W" }), linkquality],
    state: (index) => ({ state: index % 3 === 0 ? "ON" : "OFF", power: index * 1.5, linkquality: 120 }),
  },
  {
    name: "climate sensor",
    model: ["SmartThings", "3310-S"],
    exposes: [numeric("temperature", 1, { unit: "°C" }), numeric("humidity", 1, { unit: "%" }), battery, linkquality],
    state: (index) => ({ temperature: 17 + (index % 60) / 10, humidity: 40 + (index % 20), battery: 5 + (index % 95) }),
  },
  {
    name: "door contact",
    model: ["NodOn", "SDO-4-1-00"],
    // Its contact is closed while the door is: `true` is shut.
    exposes: [binary("contact", 1, false, true), battery, linkquality],
    state: (index) => ({ contact: index % 4 !== 0, battery: 80, linkquality: 60 }),
  },
  {
    name: "motion sensor",
    model: ["Hej", "KKZ-MO021"],
    exposes: [notice("occupancy"), battery, linkquality],
    state: (index) => ({ occupancy: index % 5 === 0, battery: 70, linkquality: 60 }),
  },
  {
    name: "blind",
    model: ["Somfy", "1245920"],
    exposes: [
      {
        type: "cover",
        features: [
          {
            type: "enum",
            ...{ name: "state", property: "state", access: 3, values: ["OPEN", "CLOSE", "STOP"] },
          },
          numeric("position", 7, { unit: "%", value_min: 0, value_max: 100 }),
        ],
      },
      linkquality,
    ],
    state: (index) => ({ position: (index * 7) % 101, linkquality: 75 }),
  },
];
/** Those that tests ask for by name. */
const RARE: readonly Kind[] = [
  {
    name: "smoke and CO alarm",
    model: ["Tuya", "TS0601_smoke_co"],
    exposes: [
      notice("smoke"),
      {
        type: "enum",
        ...{ name: "smoke_state", property: "smoke_state", access: 1, values: ["alarm", "none", "detecting"] },
      },
      battery,
      binary("silence", 3, true, false),
      notice("carbon_monoxide"),
      linkquality,
    ],
    state: () => ({ smoke: false, carbon_monoxide: false, smoke_state: "none", silence: false, battery: 90 }),
  },
  {
    name: "water alarm",
    model: ["ADEO", "83633206"],
    exposes: [
      battery,
      notice("water_leak_alarm_1"),
      notice("water_leak_alarm_2"),
      diagnostic(notice("tamper")),
      diagnostic(notice("battery_low")),
      linkquality,
    ],
    state: () => ({ water_leak_alarm_1: false, water_leak_alarm_2: false, tamper: false, battery_low: false }),
  },
];
const PLACES = ["Hall", "Kitchen", "Living room", "Bedroom", "Bath", "Office", "Cellar", "Garden"];

export const addressOf = (index: number): string => `0x00158d00${index.toString(16).padStart(8, "0")}`;

export function member(index: number, kind: number, name: string): Member {
  return memberOf(KINDS[kind % KINDS.length] as Kind, index, name);
}

/** One of the rare ones, under its own name. */
export function rare(index: number, name: "smoke and CO alarm" | "water alarm"): Member {
  return memberOf(RARE.find((one) => one.name === name) as Kind, index, name);
}

function memberOf({ name: what, model: [vendor, model], exposes, state }: Kind, index: number, name: string): Member {
  const definition = { model, vendor, description: what, exposes, options: [] };
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
