// What a device measures or notices, each as a sensor of its own.
import type { EndpointType } from "@matter/main";
import { OccupancySensingServer } from "@matter/main/behaviors/occupancy-sensing";
import { OccupancySensing } from "@matter/main/clusters/occupancy-sensing";
import { ContactSensorDevice } from "@matter/main/devices/contact-sensor";
import { HumiditySensorDevice } from "@matter/main/devices/humidity-sensor";
import { LightSensorDevice } from "@matter/main/devices/light-sensor";
import { OccupancySensorDevice } from "@matter/main/devices/occupancy-sensor";
import { PressureSensorDevice } from "@matter/main/devices/pressure-sensor";
import { TemperatureSensorDevice } from "@matter/main/devices/temperature-sensor";
import { WaterLeakDetectorDevice } from "@matter/main/devices/water-leak-detector";
import type { Json } from "../../sdk/index.ts";
import { isThermostat } from "./climate.ts";
import { booleanOf, type ClusterValues, has, type MakePart, numberOf, within } from "./part.ts";

interface SensorKind {
  id: string;
  /** The first of these that a device has. */
  words: readonly string[];
  type: EndpointType & { behaviors: unknown };
  fixed?: ClusterValues;
  /** Undefined where the value is none that can be shown. */
  values(value: Json | undefined): ClusterValues | undefined;
}

const KINDS: readonly SensorKind[] = [
  {
    id: "contact",
    words: ["open"],
    type: ContactSensorDevice,
    // Of Matter's contacts, true is closed.
    values: boolean((open) => ({ booleanState: { stateValue: !open } })),
  },
  {
    id: "occupancy",
    words: ["presence", "motion"],
    type: OccupancySensorDevice.with(OccupancySensingServer.with("PassiveInfrared")),
    fixed: {
      occupancySensing: {
        occupancySensorType: OccupancySensing.OccupancySensorType.Pir,
        occupancySensorTypeBitmap: { pir: true, ultrasonic: false, physicalContact: false },
      },
    },
    values: boolean((occupied) => ({ occupancySensing: { occupancy: { occupied } } })),
  },
  {
    id: "leak",
    words: ["leak"],
    type: WaterLeakDetectorDevice,
    values: boolean((leak) => ({ booleanState: { stateValue: leak } })),
  },
  {
    id: "temperature",
    words: ["temperature"],
    type: TemperatureSensorDevice,
    values: number(
      -27_315,
      32_767,
      (value) => value * 100,
      (measuredValue) => ({ temperatureMeasurement: { measuredValue } }),
    ),
  },
  {
    id: "humidity",
    words: ["humidity"],
    type: HumiditySensorDevice,
    values: number(
      0,
      10_000,
      (value) => value * 100,
      (measuredValue) => ({ relativeHumidityMeasurement: { measuredValue } }),
    ),
  },
  {
    id: "illuminance",
    words: ["illuminance"],
    type: LightSensorDevice,
    // Matter counts lux by their logarithm; 0 is too dark to know.
    values: number(
      0,
      65_534,
      (lux) => (lux < 1 ? 0 : 10_000 * Math.log10(lux) + 1),
      (measuredValue) => ({ illuminanceMeasurement: { measuredValue } }),
    ),
  },
  {
    id: "pressure",
    words: ["pressure"],
    type: PressureSensorDevice,
    // Both say hectopascals, which Matter calls tenths of a kilopascal.
    values: number(
      -32_767,
      32_767,
      (value) => value,
      (measuredValue) => ({ pressureMeasurement: { measuredValue } }),
    ),
  },
];

/** Of devices of other kinds too: a socket that measures its temperature. */
export const sensors: readonly MakePart[] = KINDS.map(
  ({ id, words, type, fixed, values }): MakePart =>
    (device) => {
      const word = words.find((one) => has(device, one));
      // A thermostat shows its own.
      const isShown = id === "temperature" && isThermostat(device);
      if (word === undefined || isShown) return undefined;
      return {
        id,
        features: word,
        type,
        ...(fixed ? { fixed } : {}),
        values: (reported) => values(reported[word]) ?? {},
      };
    },
);

function boolean(values: (value: boolean) => ClusterValues): SensorKind["values"] {
  return (value) => {
    const known = booleanOf(value);
    return known === undefined ? undefined : values(known);
  };
}

function number(
  low: number,
  high: number,
  scaled: (value: number) => number,
  values: (value: number) => ClusterValues,
): SensorKind["values"] {
  return (value) => {
    const commanded = numberOf(value);
    const measured = within(low, high, commanded === undefined ? undefined : scaled(commanded));
    return measured === undefined ? undefined : values(measured);
  };
}
