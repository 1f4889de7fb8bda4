// Thermostats and air conditioners: what is measured, what is wanted, and whether it heats or cools.
import { ThermostatServer } from "@matter/main/behaviors/thermostat";
import { Thermostat } from "@matter/main/clusters/thermostat";
import { ThermostatDevice } from "@matter/main/devices/thermostat";
import type { HubDevice } from "../hub.ts";
import { cannot, has, known, type MakePart, numberOf, optionsOf, whenSet, within } from "./part.ts";

const { SystemMode } = Thermostat;
const LIMITS = { low: 500, high: 3500 };
const Heater = ThermostatDevice.with(ThermostatServer.with("Heating"));
const HeaterAndCooler = ThermostatDevice.with(ThermostatServer.with("Heating", "Cooling"));

export function isThermostat(device: HubDevice): boolean {
  return KINDS.has(device.device_type ?? "") && has(device, "target_temperature");
}

export const climate: MakePart = (device) => {
  if (!isThermostat(device)) return undefined;
  const modes = optionsOf(device, "mode");
  const cools = modes.includes("cool");
  const reportsAction = has(device, "action");
  const target = cools
    ? (["occupiedHeatingSetpoint", "occupiedCoolingSetpoint"] as const)
    : (["occupiedHeatingSetpoint"] as const);
  return {
    id: "thermostat",
    features: [cools && "cools", reportsAction && "action"].filter(Boolean).join(" "),
    type: cools ? HeaterAndCooler : Heater,
    fixed: {
      thermostat: { ...fixed(cools), ...(reportsAction && { thermostatRunningState: runningState(undefined) }) },
    },
    values({ current_temperature, target_temperature, mode, action }) {
      const wanted = hundredths(LIMITS.low, LIMITS.high, numberOf(target_temperature));
      return {
        thermostat: known({
          localTemperature: hundredths(-27_315, 32_767, numberOf(current_temperature)),
          ...Object.fromEntries(target.map((name) => [name, wanted])),
          systemMode: systemModeOf(mode, { action, cools }),
          ...(reportsAction && typeof action === "string" && { thermostatRunningState: runningState(action) }),
        }),
      };
    },
    watch(endpoint, ask) {
      for (const name of target)
        whenSet(endpoint, ["thermostat", name], ask, (value) =>
          typeof value === "number" ? { target_temperature: value / 100 } : undefined,
        );
      whenSet(endpoint, ["thermostat", "systemMode"], ask, (mode) => {
        const word = (WORDS_OF_MODE[Number(mode)] ?? ON).find((one) => modes.includes(one));
        if (word === undefined) throw cannot("the device has no such mode");
        return { mode: word };
      });
    },
  };
};

const KINDS = new Set(["climate", "thermostat"]);
/** What is on in some way, in the order of what is most likely meant by it. */
const ON = ["heat", "auto", "heat_cool"];
const WORDS_OF_MODE: Readonly<Record<number, readonly string[]>> = {
  [SystemMode.Off]: ["off"],
  [SystemMode.Cool]: ["cool"],
  [SystemMode.Dry]: ["dry"],
  [SystemMode.FanOnly]: ["fan_only"],
};

function fixed(cools: boolean): Record<string, unknown> {
  return {
    controlSequenceOfOperation: cools
      ? Thermostat.ControlSequenceOfOperation.CoolingAndHeating
      : Thermostat.ControlSequenceOfOperation.HeatingOnly,
    systemMode: SystemMode.Heat,
    minHeatSetpointLimit: LIMITS.low,
    maxHeatSetpointLimit: LIMITS.high,
    absMinHeatSetpointLimit: LIMITS.low,
    absMaxHeatSetpointLimit: LIMITS.high,
    ...(cools
      ? {
          minCoolSetpointLimit: LIMITS.low,
          maxCoolSetpointLimit: LIMITS.high,
          absMinCoolSetpointLimit: LIMITS.low,
          absMaxCoolSetpointLimit: LIMITS.high,
        }
      : {}),
  };
}

/** A mode without a word in Matter that fits shows as heating, which is what it most likely is, unless the device says otherwise. */
function systemModeOf(mode: unknown, { action, cools }: { action: unknown; cools: boolean }): number | undefined {
  if (typeof mode !== "string") return undefined;
  const own = Object.keys(WORDS_OF_MODE).find((one) => WORDS_OF_MODE[Number(one)]?.includes(mode));
  if (own !== undefined && (cools || Number(own) === SystemMode.Off)) return Number(own);
  return cools && action === "cooling" ? SystemMode.Cool : SystemMode.Heat;
}

const STILL = { heat: false, cool: false, fan: false, heatStage2: false, coolStage2: false, fanStage2: false };

function runningState(action: string | undefined): Record<string, boolean> {
  const heat = action === "heating" || action === "preheating";
  return { ...STILL, fanStage3: false, heat, cool: action === "cooling", fan: action === "fan" };
}

function hundredths(low: number, high: number, degrees: number | undefined): number | undefined {
  return within(low, high, degrees === undefined ? undefined : degrees * 100);
}
