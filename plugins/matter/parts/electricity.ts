// What a device uses of electricity: power, energy, voltage and current, beside what else it is, or as a meter of its own.
import { ElectricalEnergyMeasurementServer } from "@matter/main/behaviors/electrical-energy-measurement";
import { ElectricalPowerMeasurementServer } from "@matter/main/behaviors/electrical-power-measurement";
import { PowerTopologyServer } from "@matter/main/behaviors/power-topology";
import { ElectricalPowerMeasurement } from "@matter/main/clusters/electrical-power-measurement";
import { ElectricalSensorEndpoint } from "@matter/main/endpoints/electrical-sensor";
import { MeasurementType } from "@matter/types";
import type { Json, JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import { type ClusterValues, has, known, numberOf, type Part } from "./part.ts";

const PowerServer = ElectricalPowerMeasurementServer.with("AlternatingCurrent");
/** Each reading is an event, too, by which apps draw their curves. */
class EnergyServer extends ElectricalEnergyMeasurementServer.with("ImportedEnergy", "CumulativeEnergy") {
  override initialize(): void {
    this.reactTo(this.events.cumulativeEnergyImported$Changed, (energyImported) => {
      if (energyImported) this.events.cumulativeEnergyMeasured.emit({ energyImported }, this.context);
    });
  }
}
/** What is measured is used by this endpoint and by those below it. */
const TopologyServer = PowerTopologyServer.with("TreeTopology");

type Type = typeof ElectricalSensorEndpoint;
const KINDS = {
  "power energy": (type: Type) => type.with(TopologyServer, PowerServer, EnergyServer),
  power: (type: Type) => type.with(TopologyServer, PowerServer),
  energy: (type: Type) => type.with(TopologyServer, EnergyServer),
};

const POWER_WORDS = [
  { word: "power", attribute: "activePower", measurementType: MeasurementType.ActivePower },
  { word: "voltage", attribute: "rmsVoltage", measurementType: MeasurementType.RmsVoltage },
  { word: "current", attribute: "rmsCurrent", measurementType: MeasurementType.RmsCurrent },
] as const;

/** The parts of a device, the first one with what it measures; a meter where it has no other. */
export function withElectricity(device: HubDevice, parts: Part[]): Part[] {
  const [power, energy] = [has(device, "power"), has(device, "energy")];
  // A voltage alone is most likely a battery's.
  if (!power && !energy) return parts;
  const words = power ? POWER_WORDS.filter(({ word }) => has(device, word)) : [];
  const kind = power && energy ? "power energy" : power ? "power" : "energy";
  const values = (reported: JsonObject): ClusterValues => ({
    ...(power && {
      electricalPowerMeasurement: known(
        Object.fromEntries(words.map(({ word, attribute }) => [attribute, thousandths(reported[word])])),
      ),
    }),
    ...(energy && { electricalEnergyMeasurement: known({ cumulativeEnergyImported: energyOf(reported.energy) }) }),
  });
  const fixed: ClusterValues = {
    ...(power && { electricalPowerMeasurement: fixedPower(words) }),
    ...(energy && {
      electricalEnergyMeasurement: {
        accuracy: accuracyOf(MeasurementType.ElectricalEnergy),
        cumulativeEnergyImported: null,
      },
    }),
  };
  const [first = METER, ...others] = parts;
  const measuring: Part = {
    ...first,
    features: [first.features, kind, ...words.map(({ word }) => word)].filter(Boolean).join(" "),
    type: KINDS[kind](first.type as Type) as Part["type"],
    fixed: { ...first.fixed, ...fixed },
    values: (reported) => ({ ...first.values(reported), ...values(reported) }),
  };
  return [measuring, ...others];
}

const METER: Part = { id: "electricity", type: ElectricalSensorEndpoint, values: () => ({}) };

function fixedPower(words: readonly (typeof POWER_WORDS)[number][]): Record<string, unknown> {
  return {
    powerMode: ElectricalPowerMeasurement.PowerMode.Ac,
    numberOfMeasurementTypes: words.length,
    accuracy: words.map(({ measurementType }) => accuracyOf(measurementType)),
    ...Object.fromEntries(words.map(({ attribute }) => [attribute, null])),
  };
}

/** Nobody says how exact a device is: within its whole range, up to a tenth off. */
const MOST = 1_000_000_000_000;
const A_TENTH = 1000;

function accuracyOf(measurementType: MeasurementType): Record<string, unknown> {
  const range = { rangeMin: -MOST, rangeMax: MOST, percentMax: A_TENTH };
  return { measurementType, measured: true, minMeasuredValue: -MOST, maxMeasuredValue: MOST, accuracyRanges: [range] };
}

/** Matter counts in thousandths of a watt, a volt and an ampere. */
function thousandths(value: Json | undefined): number | undefined {
  const commanded = numberOf(value);
  return commanded === undefined ? undefined : Math.min(MOST, Math.max(-MOST, Math.round(commanded * 1000)));
}

/** From kWh to thousandths of a Wh; what was given back is not what was used. */
function energyOf(value: Json | undefined): { energy: number } | undefined {
  const commanded = numberOf(value);
  return commanded === undefined || commanded < 0
    ? undefined
    : { energy: Math.min(MOST, Math.round(commanded * 1_000_000)) };
}
