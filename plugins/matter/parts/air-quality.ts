// The quality of the air, by its carbon dioxide and its fine dust: in words, as apps show it, and as they are measured.
import { AirQualityServer } from "@matter/main/behaviors/air-quality";
import { CarbonDioxideConcentrationMeasurementServer } from "@matter/main/behaviors/carbon-dioxide-concentration-measurement";
import { Pm25ConcentrationMeasurementServer } from "@matter/main/behaviors/pm25-concentration-measurement";
import { AirQuality } from "@matter/main/clusters/air-quality";
import { ConcentrationMeasurement } from "@matter/main/clusters/concentration-measurement";
import { AirQualitySensorDevice } from "@matter/main/devices/air-quality-sensor";
import type { JsonObject } from "../../sdk/index.ts";
import { has, known, type MakePart, numberOf } from "./part.ts";

const { Unknown, Good, ExtremelyPoor } = AirQuality.AirQualityEnum;
const { MeasurementMedium, MeasurementUnit } = ConcentrationMeasurement;

const Sensor = AirQualitySensorDevice.with(AirQualityServer.with("Fair", "Moderate", "VeryPoor", "ExtremelyPoor"));
const Co2 = CarbonDioxideConcentrationMeasurementServer.with("NumericMeasurement");
const Pm25 = Pm25ConcentrationMeasurementServer.with("NumericMeasurement");
const TYPES = { co2: Sensor.with(Co2), pm25: Sensor.with(Pm25), both: Sensor.with(Co2, Pm25) };

/** Up to which of these the air is good, fair, moderate, poor and very poor; beyond the last it is extremely poor. */
const LIMITS = {
  /** ppm; from 1000 on the German environment agency asks to air, and from 2000 calls it unacceptable. */
  co2: [800, 1000, 1400, 2000, 5000],
  /** µg/m³, of the European air quality index. */
  pm25: [10, 20, 25, 50, 75],
} as const;

export const airQuality: MakePart = (device) => {
  const [co2, pm25] = [has(device, "co2"), has(device, "pm25")];
  if (!co2 && !pm25) return undefined;
  const features = co2 && pm25 ? "both" : co2 ? "co2" : "pm25";
  return {
    id: "air_quality",
    features,
    type: TYPES[features],
    fixed: {
      airQuality: { airQuality: Unknown },
      ...(co2 && { carbonDioxideConcentrationMeasurement: measuredIn(MeasurementUnit.Ppm) }),
      ...(pm25 && { pm25ConcentrationMeasurement: measuredIn(MeasurementUnit.Ugm3) }),
    },
    values: (words) => ({
      airQuality: { airQuality: qualityOf(words) },
      ...(co2 && { carbonDioxideConcentrationMeasurement: known({ measuredValue: measured(words.co2) }) }),
      ...(pm25 && { pm25ConcentrationMeasurement: known({ measuredValue: measured(words.pm25) }) }),
    }),
  };
};

const measuredIn = (measurementUnit: number) => ({
  ...{ measurementUnit, measurementMedium: MeasurementMedium.Air },
  ...{ measuredValue: null, minMeasuredValue: null, maxMeasuredValue: null },
});

function measured(value: JsonObject[string] | undefined): number | undefined {
  const commanded = numberOf(value);
  return commanded === undefined ? undefined : Math.max(0, commanded);
}

/** The worst of what is known. */
function qualityOf(words: JsonObject): number {
  const found = (["co2", "pm25"] as const).flatMap((word) => {
    const value = numberOf(words[word]);
    if (value === undefined) return [];
    const step = LIMITS[word].findIndex((limit) => value <= limit);
    return step === -1 ? ExtremelyPoor : Good + step;
  });
  return found.length === 0 ? Unknown : Math.max(...found);
}
