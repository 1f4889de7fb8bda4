// What a house says: 50 devices with four attributes each (a reading with one decimal, a whole number, a boolean, a short
// text), which change one at a time and in turn. All talk equally often: the worst for a file that is sorted by series.
export const DEVICES = 50;
export const ATTRIBUTES = ["temperature", "humidity", "on", "mode"] as const;
export type Attribute = (typeof ATTRIBUTES)[number];

const MODES = ["auto", "heat", "cool", "off"];
const SERIES = DEVICES * ATTRIBUTES.length;
// Prime to the number of series: neighbours in time are no neighbours in the file.
const STRIDE = 7919;

export interface Change {
  deviceId: string;
  attribute: Attribute;
  value: number | boolean | string;
}

export const deviceName = (index: number): string => `room_${index}`;

export function changeAt(index: number): Change {
  const series = (index * STRIDE) % SERIES;
  const attribute = ATTRIBUTES[Math.floor(series / DEVICES)] ?? "temperature";
  return { deviceId: deviceName(series % DEVICES), attribute, value: valueAt(attribute, Math.floor(index / SERIES)) };
}

function valueAt(attribute: Attribute, turn: number): Change["value"] {
  switch (attribute) {
    case "temperature":
      return Math.round(200 + 50 * Math.sin(turn / 40) + (turn % 7)) / 10;
    case "humidity":
      return 45 + ((turn * 13) % 20);
    case "on":
      return turn % 2 === 0;
    case "mode":
      return MODES[turn % MODES.length] ?? "off";
  }
}
