// What a profile file may hold. Rules between keys are in read.ts.
import { type Static, type TProperties, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const table = <P extends TProperties>(properties: P) => Type.Object(properties, closed);
const text = (description: string, more: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 500, description, ...more }));
const topic = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 500, expected: "a topic", description }));
const number = (description: string) => Type.Optional(Type.Number({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description, default: false }));
const pointer = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));
const cel = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description }));

const Plain = Type.Union([Type.Boolean(), Type.Number(), Type.String({ maxLength: 200 })], {
  expected: "a text, a number, true or false",
});
const valueMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Plain, { minProperties: 1, maxProperties: 200, description }));

const WORDS = [
  ...["brightness_pct", "color_temp_k", "color_rgb", "position", "speed_pct", "volume_pct"],
  ...["current_temperature", "target_temperature", "mode"],
] as const;

const AttributeKind = Type.Optional(
  Type.Union(
    [
      Type.Literal("boolean"),
      Type.Literal("number"),
      Type.Literal("string"),
      Type.Literal("object"),
      Type.Literal("array"),
    ],
    {
      expected: '"boolean", "number", "string", "object" or "array"',
      description: "Its type. Known by itself where there is a `unit`, a range, `options` or a `map`",
    },
  ),
);

const reading = {
  topic: topic("Where it is reported; without it, the `topic` at the top of the file"),
  pointer: pointer("Where in the JSON of the message: `/sensor/0/temperature`"),
  cel: cel("Instead of `pointer`: the value in CEL, of `json`, `text`, `topic` and `parts.NAME`"),
};

const about = {
  type: AttributeKind,
  unit: text("`°C`, `%`, `W`, …", { maxLength: 20 }),
  min: number("The smallest value"),
  max: number("The greatest value"),
  step: number("From one value to the next"),
  options: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 200,
      description: "All values of a text",
    }),
  ),
  class: text("What it is about: `temperature`, `motion`, …", { maxLength: 50 }),
  category: Type.Optional(
    Type.Union([Type.Literal("config"), Type.Literal("diagnostic")], {
      description: "`config`: a setting of the device. `diagnostic`: how it fares",
    }),
  ),
  format: Type.Optional(
    Type.Union([Type.Literal("date"), Type.Literal("time"), Type.Literal("date-time"), Type.Literal("password")], {
      expected: '"date", "time", "date-time" or "password"',
      description: "Of a text: commands are checked, and a `password` is passed to the device and kept nowhere",
    }),
  ),
  precision: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 20, description: "How many digits behind the point are shown" }),
  ),
  state_class: Type.Optional(
    Type.Union([Type.Literal("measurement"), Type.Literal("total"), Type.Literal("total_increasing")], {
      expected: '"measurement", "total" or "total_increasing"',
      description: "What sums and averages of it mean, as Home Assistant names it",
    }),
  ),
  icon: text("`mdi:lamp`", { maxLength: 100, pattern: "^[\\w-]+:[\\w-]+$", expected: "a name such as mdi:lamp" }),
  hidden: flag("Of no use to most people"),
  description: text("What it is, for people"),
};

const sending = {
  topic: Type.String({ minLength: 1, maxLength: 500, description: "Where the command is published" }),
  payload: Type.Optional(
    Type.String({ maxLength: 4096, description: "The message, with `{value}` in it; without it, the value alone" }),
  ),
  pointer: pointer("Where in a JSON message the value goes. Commands with the same topic become one message"),
  cel: cel("What is sent, in CEL, of `value`, `parts.NAME`, and `rgb.r`, `rgb.g`, `rgb.b` of a colour"),
  map: valueMap(
    'What is sent for each value: `{ true = "ON", false = "OFF" }`; without it, the reverse of the attribute\'s',
  ),
  qos: Type.Optional(
    Type.Union([Type.Literal(0), Type.Literal(1)], { description: "0, or 1 for a message that must arrive" }),
  ),
  retain: flag("The broker keeps the message"),
};

export const CommandTable = table(sending);
export type CommandTable = Static<typeof CommandTable>;

export const AttributeTable = table({
  ...reading,
  map: valueMap("What a value that is reported means: `{ ON = true, OFF = false }`. What is not in it stays as it is"),
  scale: number("The value is multiplied by it"),
  offset: number("Added to the value"),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 6, description: "The value is rounded to as many" })),
  ...about,
  word: Type.Optional(
    Type.Union(
      WORDS.map((one) => Type.Literal(one)),
      {
        expected: `one of ${WORDS.join(", ")}`,
        description: "Offers the same value by a word that all devices share, in its unit; see docs/devices.md",
      },
    ),
  ),
  command: Type.Optional(CommandTable),
});
export type AttributeTable = Static<typeof AttributeTable>;

export const ButtonTable = table({ ...sending, ...about });
export type ButtonTable = Static<typeof ButtonTable>;

export const ActionTable = table({
  ...reading,
  map: valueMap('What a press is called: `{ 1 = "single", 2 = "double" }`'),
});
export type ActionTable = Static<typeof ActionTable>;

export const AvailabilityTable = table({
  topic: topic("Where the device says that it is there"),
  pointer: reading.pointer,
  cel: cel("Instead of `pointer`: gives one of the two values, or true or false"),
  available: Type.Optional({ ...Plain, description: 'What it says when it is there; "online" unless given' }),
  unavailable: Type.Optional({ ...Plain, description: 'And when it is not; "offline" unless given' }),
  silent_secs: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 2_592_000,
      description: "A device that says nothing for so long is not available",
    }),
  ),
});
export type AvailabilityTable = Static<typeof AvailabilityTable>;

export const ProfileTable = table({
  description: text("What the profile is for"),
  enabled: Type.Optional(Type.Boolean({ default: true, description: "`false`: the profile does nothing" })),
  topic: topic("Where its devices report, with placeholders: `tele/{id}/SENSOR`"),
  when: cel('Which messages on `topic` are meant, in CEL: `json.model == "X1"`'),
  id: text(
    "The id of a device, made of placeholders; without it, the name of the file and all placeholders of `topic`",
  ),
  same_as: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      minItems: 1,
      maxItems: 10,
      description:
        "Under which identifiers it may announce itself: it is one device with what is announced so, not another one",
    }),
  ),
  name: text("What a device is called, as long as no person has named it"),
  type: text("`light`, `switch`, `cover`, `climate`, `lock`, `fan`, `vacuum`, `sensor`, …", {
    maxLength: 50,
    default: "sensor",
  }),
  manufacturer: text("Who makes it"),
  model: text("Which model it is"),
  area: text("The name of its area"),
  parent: text("The id of the device behind which it is"),
  max_devices: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: "No more devices than this are made" }),
  ),
  placeholders: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
      maxProperties: 20,
      description: "Placeholders that are not in the topic but in the message: name and JSON pointer",
    }),
  ),
  availability: Type.Optional(AvailabilityTable),
  attributes: Type.Optional(Type.Record(Type.String(), AttributeTable, { maxProperties: 200 })),
  commands: Type.Optional(Type.Record(Type.String(), ButtonTable, { maxProperties: 50 })),
  actions: Type.Optional(Type.Array(ActionTable, { maxItems: 50 })),
});
export type ProfileTable = Static<typeof ProfileTable>;
