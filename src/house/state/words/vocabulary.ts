// The names, units and ranges that devices of a kind share, whatever brought them: what rules, scenes and pages may rely on. A device
// has those that it can do, and its own attributes beside them. docs/devices.md shows this table; plugins/sdk/words.ts is the same
// for plugins. Who describes a device makes the words of what it does; sensor-words.ts makes those of what it senses.

export interface Word {
  readonly name: string;
  readonly type: "boolean" | "number" | "string";
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** All values it may have. */
  readonly options?: readonly string[];
  /** A regular expression of the text. */
  readonly pattern?: string;
  /** It can be commanded, where the device lets itself be. */
  readonly writable: boolean;
  /** For people. */
  readonly doc: string;
}

export interface DeviceKind {
  readonly kind: string;
  readonly words: readonly Word[];
}

const on: Word = { name: "on", type: "boolean", writable: true, doc: "whether it is on" };
const percent = { type: "number", unit: "%", min: 0, max: 100 } as const;
const position: Word = { name: "position", ...percent, writable: true, doc: "0 is closed, 100 open" };
const moving: Word = {
  name: "moving",
  type: "string",
  options: ["opening", "closing", "stopped"],
  writable: false,
  doc: "what it is doing",
};

const openCloseStop: Word = {
  ...{ name: "command", type: "string", options: ["open", "close", "stop"], writable: true },
  doc: "what it is to do",
};
const senses = (name: string, doc: string): Word => ({ name, type: "boolean", writable: false, doc });
const measures = (name: string, unit: string, doc: string): Word => ({
  ...{ name, type: "number", unit, writable: false, doc },
});

export const DEVICE_KINDS: readonly DeviceKind[] = [
  {
    kind: "light",
    words: [
      on,
      { name: "brightness_pct", ...percent, writable: true, doc: "how bright" },
      {
        ...{ name: "color_temp_k", type: "number", unit: "K", min: 1000, max: 12_000, writable: true },
        doc: "the colour of its white: 2200 is warm, 6500 cold; each light has a range of its own",
      },
      {
        ...{ name: "color_rgb", type: "string", pattern: "^#[0-9a-fA-F]{6}$", writable: true },
        doc: "its colour, such as `#ff8800`",
      },
    ],
  },
  { kind: "switch", words: [on] },
  {
    kind: "cover",
    words: [
      position,
      moving,
      openCloseStop,
      { name: "tilt_pct", ...percent, writable: true, doc: "how far its slats are open" },
    ],
  },
  {
    kind: "climate",
    words: [
      {
        ...{ name: "current_temperature", type: "number", unit: "°C", writable: false },
        doc: "what it measures",
      },
      { name: "target_temperature", type: "number", unit: "°C", writable: true, doc: "what it is to reach" },
      { name: "mode", type: "string", writable: true, doc: "such as `off`, `heat`, `cool`, `auto`" },
      { name: "action", type: "string", writable: false, doc: "what it is doing: such as `heating`, `idle`, `off`" },
    ],
  },
  {
    kind: "lock",
    words: [
      { name: "locked", type: "boolean", writable: true, doc: "whether it is locked; unknown while it is neither" },
      {
        ...{ name: "lock_state", type: "string", writable: false },
        options: ["locked", "unlocked", "locking", "unlocking", "jammed", "open"],
        doc: "what it is doing",
      },
    ],
  },
  { kind: "fan", words: [on, { name: "speed_pct", ...percent, writable: true, doc: "how fast; 0 is off" }] },
  {
    kind: "vacuum",
    words: [
      {
        ...{ name: "command", type: "string", writable: true },
        doc: "such as `start`, `pause`, `stop`, `return_to_base`, `locate`",
      },
      { name: "state", type: "string", writable: false, doc: "what it is doing: such as `cleaning`, `docked`" },
    ],
  },
  { kind: "siren", words: [on] },
  { kind: "valve", words: [on, position, moving, openCloseStop] },
  {
    kind: "media",
    words: [on, { name: "volume_pct", ...percent, writable: true, doc: "how loud" }],
  },
  {
    kind: "alarm",
    words: [
      {
        ...{ name: "alarm", type: "string", writable: false },
        doc: "such as `disarmed`, `armed_home`, `armed_away`, `arming`, `pending`, `triggered`",
      },
      { name: "command", type: "string", writable: true, doc: "such as `disarm`, `arm_home`, `arm_away`" },
    ],
  },
  {
    kind: "sensor",
    words: [
      senses("open", "whether a door, window, lid or garage door is open"),
      senses("motion", "whether something moves"),
      senses("presence", "whether somebody is there"),
      senses("leak", "whether there is water"),
      senses("smoke", "whether there is smoke"),
      senses("gas", "whether there is gas"),
      senses("carbon_monoxide", "whether there is carbon monoxide"),
      senses("vibration", "whether it is shaken"),
      senses("tamper", "whether somebody has opened or moved it"),
      senses("battery_low", "whether its battery is nearly empty"),
      measures("temperature", "°C", "the temperature"),
      measures("humidity", "%", "the humidity of the air"),
      measures("illuminance", "lx", "how light it is"),
      measures("pressure", "hPa", "the pressure of the air"),
      measures("co2", "ppm", "carbon dioxide in the air"),
      measures("pm25", "µg/m³", "fine dust in the air"),
      measures("power", "W", "what it uses now"),
      measures("energy", "kWh", "what it has used"),
      measures("voltage", "V", "the voltage"),
      measures("current", "A", "the current"),
      { ...measures("battery", "%", "how full its battery is"), min: 0, max: 100 },
    ],
  },
];
