// The words that devices of a kind share, whatever brought them: a plugin that uses them needs no rule, scene or page of its own.
// docs/devices.md lists them.
import { type SchemaOptions, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";

const oneOf = <T extends string>(values: readonly T[], options: SchemaOptions) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
const sensed = (title: string) => Type.Boolean({ title, readOnly: true });
const measured = (title: string, unit: string) => Type.Number({ title, unit, readOnly: true });

const on = Type.Boolean({ title: "On" });
const percent = (title: string) => Type.Number({ title, unit: "%", minimum: 0, maximum: 100 });
const position = percent("Position");
const moving = oneOf(["opening", "closing", "stopped"], { title: "Moving", readOnly: true });
const openCloseStop = oneOf(["open", "close", "stop"], { title: "Command" });

/** Kind of device → word → its schema. A plugin may narrow one: `{ ...WORDS.light.color_temp_k, minimum: 2200 }`. */
export const WORDS = {
  light: {
    on,
    brightness_pct: percent("Brightness"),
    color_temp_k: Type.Number({ title: "Colour temperature", unit: "K", minimum: 1000, maximum: 12_000 }),
    color_rgb: Type.String({ title: "Colour", pattern: "^#[0-9a-fA-F]{6}$", examples: ["#ff8800"] }),
  },
  switch: { on },
  cover: { position, moving, command: openCloseStop, tilt_pct: percent("Tilt") },
  climate: {
    current_temperature: Type.Number({ title: "Temperature", unit: "°C", readOnly: true }),
    target_temperature: Type.Number({ title: "Wanted temperature", unit: "°C" }),
    mode: Type.String({ title: "Mode" }),
    action: Type.String({ title: "Action", readOnly: true }),
  },
  lock: {
    locked: Type.Boolean({ title: "Locked" }),
    lock_state: oneOf(["locked", "unlocked", "locking", "unlocking", "jammed", "open"], {
      title: "State of the lock",
      readOnly: true,
    }),
  },
  fan: { on, speed_pct: percent("Speed") },
  vacuum: {
    command: Type.String({ title: "Command" }),
    state: Type.String({ title: "State", readOnly: true }),
  },
  siren: { on },
  valve: { on, position, moving, command: openCloseStop },
  media: { on, volume_pct: percent("Volume") },
  alarm: {
    alarm: Type.String({ title: "Alarm", readOnly: true }),
    command: Type.String({ title: "Command" }),
  },
  sensor: {
    open: sensed("Open"),
    motion: sensed("Motion"),
    presence: sensed("Presence"),
    leak: sensed("Leak"),
    smoke: sensed("Smoke"),
    gas: sensed("Gas"),
    carbon_monoxide: sensed("Carbon monoxide"),
    vibration: sensed("Vibration"),
    tamper: sensed("Tampering"),
    battery_low: sensed("Battery low"),
    temperature: measured("Temperature", "°C"),
    humidity: measured("Humidity", "%"),
    illuminance: measured("Illuminance", "lx"),
    pressure: measured("Air pressure", "hPa"),
    co2: measured("CO₂", "ppm"),
    pm25: measured("Fine dust", "µg/m³"),
    power: measured("Power", "W"),
    energy: measured("Energy", "kWh"),
    voltage: measured("Voltage", "V"),
    current: measured("Current", "A"),
    battery: { ...measured("Battery", "%"), minimum: 0, maximum: 100 },
  },
} as const satisfies Record<string, Record<string, TSchema>>;

export type DeviceKind = keyof typeof WORDS;

/**
 * `capabilities` of a device that has these words, and attributes of its own:
 * `deviceSchema("light", ["on", "brightness_pct"], { transition: Type.Number({ unit: "s" }) })`.
 */
export function deviceSchema<K extends DeviceKind, N extends keyof (typeof WORDS)[K] & string, Own extends TProperties>(
  kind: K,
  names: readonly N[],
  own: Own = {} as Own,
): TObject<Pick<(typeof WORDS)[K], N> & Own> {
  const words = Object.fromEntries(names.map((name) => [name, WORDS[kind][name]]));
  return Type.Object({ ...words, ...own }) as never;
}
