// The words that devices of a kind share, whatever brought them: a plugin that uses them needs no rule, scene or page of its own.
// docs/devices.md lists them.
import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";

const on = Type.Boolean({ title: "On" });
const percent = (title: string) => Type.Number({ title, unit: "%", minimum: 0, maximum: 100 });
const position = percent("Position");
const moving = Type.Union([Type.Literal("opening"), Type.Literal("closing"), Type.Literal("stopped")], {
  title: "Moving",
  readOnly: true,
});

/** Kind of device → word → its schema. A plugin may narrow one: `{ ...WORDS.light.color_temp_k, minimum: 2200 }`. */
export const WORDS = {
  light: {
    on,
    brightness_pct: percent("Brightness"),
    color_temp_k: Type.Number({ title: "Colour temperature", unit: "K", minimum: 1000, maximum: 12_000 }),
    color_rgb: Type.String({ title: "Colour", pattern: "^#[0-9a-fA-F]{6}$", examples: ["#ff8800"] }),
  },
  switch: { on },
  cover: { position, moving },
  climate: {
    current_temperature: Type.Number({ title: "Temperature", unit: "°C", readOnly: true }),
    target_temperature: Type.Number({ title: "Wanted temperature", unit: "°C" }),
    mode: Type.String({ title: "Mode" }),
    action: Type.String({ title: "Action", readOnly: true }),
  },
  lock: { locked: Type.Boolean({ title: "Locked" }) },
  fan: { on, speed_pct: percent("Speed") },
  vacuum: {
    command: Type.String({ title: "Command" }),
    state: Type.String({ title: "State", readOnly: true }),
  },
  siren: { on },
  valve: { on, position, moving },
  media: { on, volume_pct: percent("Volume") },
} as const satisfies Record<string, Record<string, TSchema>>;

export type DeviceKind = keyof typeof WORDS;

/**
 * `capabilities` of a device that has these words, and attributes of its own:
 * `deviceSchema("light", ["on", "brightness_pct"], { power_w: Type.Number({ unit: "W", readOnly: true }) })`.
 */
export function deviceSchema<K extends DeviceKind, N extends keyof (typeof WORDS)[K] & string, Own extends TProperties>(
  kind: K,
  names: readonly N[],
  own: Own = {} as Own,
): TObject<Pick<(typeof WORDS)[K], N> & Own> {
  const words = Object.fromEntries(names.map((name) => [name, WORDS[kind][name]]));
  return Type.Object({ ...words, ...own }) as never;
}
