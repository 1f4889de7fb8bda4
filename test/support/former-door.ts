// A home as a version of the hub left it that turned `contact` round on its way in, and kept what devices measure in their own units: with a
// door (Aqara MCCGQ11LM, as zigbee2mqtt announces it), what is known of it and of its past.
import { Database } from "bun:sqlite";

export const DOOR = "0xc77988cf21dc11c0";

export const ANNOUNCED = {
  ieee_address: "0xc77988cf21dc11c0",
  type: "Router",
  network_address: 2895,
  supported: true,
  friendly_name: "front door",
  disabled: false,
  definition: {
    source: "native",
    model: "MCCGQ11LM",
    vendor: "Aqara",
    description: "Door and window sensor",
    exposes: [
      {
        name: "battery",
        label: "Battery",
        access: 1,
        type: "numeric",
        property: "battery",
        description: "Remaining battery in %, can take up to 24 hours before reported",
        category: "diagnostic",
        unit: "%",
        value_max: 100,
        value_min: 0,
      },
      {
        name: "contact",
        label: "Contact",
        access: 1,
        type: "binary",
        property: "contact",
        description: "Indicates if the contact is closed (= true) or open (= false)",
        homeassistant: {
          name: null,
        },
        value_on: false,
        value_off: true,
      },
      {
        name: "device_temperature",
        label: "Device temperature",
        access: 1,
        type: "numeric",
        property: "device_temperature",
        description: "Temperature of the device",
        category: "diagnostic",
        unit: "°C",
      },
      {
        name: "voltage",
        label: "Voltage",
        access: 1,
        type: "numeric",
        property: "voltage",
        description: "Voltage of the battery in millivolts",
        category: "diagnostic",
        unit: "mV",
      },
      {
        name: "linkquality",
        label: "Linkquality",
        access: 1,
        type: "numeric",
        property: "linkquality",
        category: "diagnostic",
        unit: "lqi",
        value_max: 255,
        value_min: 0,
      },
    ],
    supports_ota: false,
    options: [],
    version: "0.0.0",
  },
  power_source: "Mains (single phase)",
  model_id: "lumi.sensor_magnet.aq2",
  manufacturer: "Aqara",
  interview_completed: true,
  interviewing: false,
};

/** What that version kept of what the door says of itself. */
const DETAILS = {
  manufacturer: "Aqara",
  model: "MCCGQ11LM",
  schema: {
    type: "object",
    properties: {
      battery: { type: "number", minimum: 0, maximum: 100, readOnly: true, unit: "%", category: "diagnostic" },
      contact: {
        type: "boolean",
        description: "Indicates if the contact is closed (= true) or open (= false)",
        readOnly: true,
      },
      device_temperature: { type: "number", readOnly: true, unit: "°C", category: "diagnostic" },
      voltage: { type: "number", readOnly: true, unit: "mV", category: "diagnostic" },
      linkquality: { type: "number", minimum: 0, maximum: 255, readOnly: true, unit: "lqi", category: "diagnostic" },
    },
    additionalProperties: { readOnly: true },
  },
};

/** When the door was opened, closed and opened again: `contact` was true while it was open. */
export const PAST: readonly (readonly [at: number, isOpen: boolean])[] = [
  [Date.UTC(2026, 0, 15, 8), true],
  [Date.UTC(2026, 0, 15, 9), false],
  [Date.UTC(2026, 0, 15, 10), true],
];

/** The hub of the home must be stopped. `data`: the folder of its databases. */
export function putFormerDoor(data: string, { history = true } = {}): void {
  const last = PAST.at(-1)?.[0] ?? 0;
  using state = new Database(`${data}/state.redb`);
  state
    .query("INSERT INTO devices (id, plugin_id, name, details, created_at) VALUES (?, 'z2m', 'front door', ?, ?)")
    .run(DOOR, JSON.stringify(DETAILS), last);
  state
    .query(
      "INSERT INTO device_state (device_id, available, attributes, last_changed, last_seen) VALUES (?, 1, ?, ?, ?)",
    )
    .run(
      DOOR,
      JSON.stringify({ contact: true, voltage: 3005, battery: 90 }),
      JSON.stringify({ contact: last, voltage: last, battery: last }),
      last,
    );
  if (!history) return;
  using recorded = new Database(`${data}/history.db`);
  const series = recorded
    .query<{ id: number }, [string]>("INSERT INTO series (device_id, attribute) VALUES (?, 'contact') RETURNING id")
    .get(DOOR)?.id;
  const insert = recorded.query("INSERT INTO samples (series_id, at, n, value, type) VALUES (?, ?, 0, ?, 1)");
  for (const [at, isOpen] of PAST) insert.run(series ?? 0, at, Number(isOpen));
}
