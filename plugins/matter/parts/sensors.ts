// What a device measures or notices, each as a sensor of its own.
import type { EndpointType } from "@matter/main";
import { OccupancySensingServer } from "@matter/main/behaviors/occupancy-sensing";
import { SmokeCoAlarmServer } from "@matter/main/behaviors/smoke-co-alarm";
import { OccupancySensing } from "@matter/main/clusters/occupancy-sensing";
import { SmokeCoAlarm } from "@matter/main/clusters/smoke-co-alarm";
import { ContactSensorDevice } from "@matter/main/devices/contact-sensor";
import { HumiditySensorDevice } from "@matter/main/devices/humidity-sensor";
import { LightSensorDevice } from "@matter/main/devices/light-sensor";
import { OccupancySensorDevice } from "@matter/main/devices/occupancy-sensor";
import { PressureSensorDevice } from "@matter/main/devices/pressure-sensor";
import { SmokeCoAlarmDevice } from "@matter/main/devices/smoke-co-alarm";
import { TemperatureSensorDevice } from "@matter/main/devices/temperature-sensor";
import { WaterLeakDetectorDevice } from "@matter/main/devices/water-leak-detector";
import type { Json } from "../../sdk/index.ts";
import { booleanOf, type ClusterValues, has, type MakePart, numberOf, within } from "./part.ts";

interface SensorKind {
  id: string;
  /** The first of these that a device has. */
  attributes: readonly string[];
  type: EndpointType & { behaviors: unknown };
  fixed?: ClusterValues;
  /** Undefined where the value is none that can be shown. */
  values(value: Json | undefined, attribute: string): ClusterValues | undefined;
}

const alarm = (on: boolean) => (on ? SmokeCoAlarm.AlarmState.Critical : SmokeCoAlarm.AlarmState.Normal);

const KINDS: readonly SensorKind[] = [
  {
    id: "contact",
    attributes: ["open", "contact"],
    type: ContactSensorDevice,
    // Of both Matter and Zigbee, a contact that is closed is true.
    values: boolean((value, attribute) => ({ booleanState: { stateValue: attribute === "open" ? !value : value } })),
  },
  {
    id: "occupancy",
    attributes: ["occupancy", "presence", "motion"],
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
    attributes: ["leak", "water_leak"],
    type: WaterLeakDetectorDevice,
    values: boolean((leak) => ({ booleanState: { stateValue: leak } })),
  },
  {
    id: "smoke",
    attributes: ["smoke"],
    type: SmokeCoAlarmDevice.with(SmokeCoAlarmServer.with("SmokeAlarm")),
    fixed: { smokeCoAlarm: alarmAtRest() },
    values: boolean((smoke) => ({ smokeCoAlarm: { smokeState: alarm(smoke) } })),
  },
  {
    id: "co",
    attributes: ["carbon_monoxide"],
    type: SmokeCoAlarmDevice.with(SmokeCoAlarmServer.with("CoAlarm")),
    fixed: { smokeCoAlarm: alarmAtRest() },
    values: boolean((gas) => ({ smokeCoAlarm: { coState: alarm(gas) } })),
  },
  {
    id: "temperature",
    attributes: ["temperature"],
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
    attributes: ["humidity"],
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
    attributes: ["illuminance", "illuminance_lux"],
    type: LightSensorDevice,
    // Matter counts lux by their logarithm; 0 is too dark to tell.
    values: number(
      0,
      65_534,
      (lux) => (lux < 1 ? 0 : 10_000 * Math.log10(lux) + 1),
      (measuredValue) => ({ illuminanceMeasurement: { measuredValue } }),
    ),
  },
  {
    id: "pressure",
    attributes: ["pressure"],
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

/** Of devices of other kinds too: a socket that measures its temperature. A thermostat shows its own. */
export const sensors: readonly MakePart[] = KINDS.map(
  (kind): MakePart =>
    (device) => {
      const attribute = kind.attributes.find((name) => has(device, name));
      if (attribute === undefined || (device.device_type === "climate" && kind.id === "temperature")) return undefined;
      return {
        id: kind.id,
        features: attribute,
        type: kind.type,
        ...(kind.fixed ? { fixed: kind.fixed } : {}),
        values: (attributes) => kind.values(attributes[attribute], attribute) ?? {},
      };
    },
);

function boolean(values: (value: boolean, attribute: string) => ClusterValues): SensorKind["values"] {
  return (value, attribute) => {
    const known = booleanOf(value);
    return known === undefined ? undefined : values(known, attribute);
  };
}

function number(
  low: number,
  high: number,
  scaled: (value: number) => number,
  values: (value: number) => ClusterValues,
): SensorKind["values"] {
  return (value) => {
    const told = numberOf(value);
    const measured = within(low, high, told === undefined ? undefined : scaled(told));
    return measured === undefined ? undefined : values(measured);
  };
}

function alarmAtRest(): Record<string, unknown> {
  return {
    expressedState: SmokeCoAlarm.ExpressedState.Normal,
    batteryAlert: SmokeCoAlarm.AlarmState.Normal,
    testInProgress: false,
    hardwareFaultAlert: false,
    endOfServiceAlert: SmokeCoAlarm.EndOfService.Normal,
  };
}
