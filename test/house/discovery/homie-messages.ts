// What Homie devices publish, by the convention: each message a topic and its payload, all retained.

export type Messages = readonly (readonly [topic: string, payload: string])[];

/** Of version 3 or 4. `nodes`: by id, each property by id with its attributes. */
export function inTopics(
  device: string,
  nodes: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>,
  { version = "4.0.0", more = {} }: { version?: string; more?: Readonly<Record<string, string>> } = {},
): Messages {
  const at = (below: string): string => `homie/${device}/${below}`;
  return [
    [at("$state"), "init"],
    [at("$homie"), version],
    [at("$name"), "Super car"],
    [at("$nodes"), Object.keys(nodes).join(",")],
    ...Object.entries(nodes).flatMap(([listed, properties]) => {
      const node = listed.replace("[]", "");
      return [
        [at(`${node}/$name`), node],
        [at(`${node}/$type`), node],
        [at(`${node}/$properties`), Object.keys(properties).join(",")],
        ...Object.entries(properties).flatMap(([property, attributes]) =>
          Object.entries(attributes).map(([name, text]) => [at(`${node}/${property}/$${name}`), text] as const),
        ),
      ] as const;
    }),
    ...Object.entries(more).map(([below, text]) => [at(below), text] as const),
    [at("$state"), "ready"],
  ];
}

export const LAMP = {
  light: {
    power: { name: "Power", datatype: "boolean", settable: "true" },
    brightness: { name: "Brightness", datatype: "integer", format: "0:100", unit: "%", settable: "true" },
    color: { name: "Colour", datatype: "color", format: "rgb", settable: "true" },
  },
  climate: {
    temperature: { name: "Temperature", datatype: "float", unit: "°C" },
    humidity: { name: "Humidity", datatype: "integer", unit: "%" },
  },
};

/** Of version 5: a property of each datatype. */
export const EVERYTHING = {
  homie: "5.0",
  version: 7,
  name: "Everything",
  nodes: {
    light: {
      type: "light",
      properties: {
        power: { datatype: "boolean", format: "off,on", settable: true },
        brightness: { datatype: "float", format: "0:1:0.01", settable: true },
        color: { datatype: "color", format: "xyz,rgb", settable: true },
        effect: { datatype: "enum", format: "none,party, slow", settable: true },
      },
    },
    relay: { properties: { state: { datatype: "boolean", settable: true } } },
    heater: {
      properties: {
        setpoint: { datatype: "float", format: "5:30:0.5", unit: "°C", settable: true },
        count: { datatype: "integer", format: "1:10:3", settable: true },
        open: { datatype: "integer", format: "0:", settable: true },
        label: { datatype: "string", settable: true },
        until: { datatype: "datetime", settable: true },
        boost: { datatype: "duration", settable: true },
        plan: { datatype: "json", settable: true },
      },
    },
    "engine-temp": { properties: { value: { datatype: "float", unit: "°C" } } },
    remote: {
      properties: {
        key: { datatype: "enum", format: "up,down", retained: false },
        brew: { datatype: "boolean", retained: false, settable: true },
      },
    },
  },
};
