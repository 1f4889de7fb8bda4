// The names, units and ranges that devices of a kind share, whatever brought them: what rules, scenes and pages may rely on. A device
// has those that it can do, and its own attributes beside them. docs/devices.md shows this table; plugins/sdk/words.ts is the same
// for plugins.

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
  { kind: "cover", words: [position, moving] },
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
  { kind: "lock", words: [{ name: "locked", type: "boolean", writable: true, doc: "whether it is locked" }] },
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
  { kind: "valve", words: [on, position, moving] },
  {
    kind: "media",
    words: [on, { name: "volume_pct", ...percent, writable: true, doc: "how loud" }],
  },
];
