// Thermostats and air conditioners: what is measured, what is wanted, and whether it heats or cools.
import { ThermostatServer } from "@matter/main/behaviors/thermostat";
import { Thermostat } from "@matter/main/clusters/thermostat";
import { ThermostatDevice } from "@matter/main/devices/thermostat";
import type { HubDevice } from "../hub.ts";
import { describedAs, has, known, type MakePart, numberOf, whenSet, within } from "./part.ts";

const { SystemMode } = Thermostat;
const LIMITS = { low: 500, high: 3500 };
const Heater = ThermostatDevice.with(ThermostatServer.with("Heating"));
const HeaterAndCooler = ThermostatDevice.with(ThermostatServer.with("Heating", "Cooling"));

export const climate: MakePart = (device) => {
  if (device.device_type !== "climate" || !has(device, "target_temperature")) return undefined;
  const modes = modesOf(device);
  const cools = modes.includes("cool");
  const target = cools
    ? (["occupiedHeatingSetpoint", "occupiedCoolingSetpoint"] as const)
    : (["occupiedHeatingSetpoint"] as const);
  return {
    id: "thermostat",
    features: cools ? "cools" : "",
    type: cools ? HeaterAndCooler : Heater,
    fixed: { thermostat: fixed(cools) },
    values({ current_temperature, target_temperature, mode }) {
      const wanted = hundredths(LIMITS.low, LIMITS.high, numberOf(target_temperature));
      return {
        thermostat: known({
          localTemperature: hundredths(-27_315, 32_767, numberOf(current_temperature)),
          ...Object.fromEntries(target.map((name) => [name, wanted])),
          systemMode: systemModeOf(mode, cools),
        }),
      };
    },
    watch(endpoint, ask) {
      for (const name of target)
        whenSet(endpoint, "thermostat", name, (value) => {
          if (typeof value === "number") ask({ target_temperature: value / 100 });
        });
      whenSet(endpoint, "thermostat", "systemMode", (mode) => {
        const word = mode === SystemMode.Off ? "off" : mode === SystemMode.Cool ? "cool" : "heat";
        // A device whose modes have other names, or that has none, is not asked for one that it does not know.
        if (modes.includes(word)) ask({ mode: word });
      });
    },
  };
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

function modesOf(device: HubDevice): string[] {
  const options = describedAs(device, "mode")?.enum;
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
}

/** A mode without a word in Matter that fits shows as heating, which is what it most likely is. */
function systemModeOf(mode: unknown, cools: boolean): number | undefined {
  if (typeof mode !== "string") return undefined;
  if (mode === "off") return SystemMode.Off;
  return mode === "cool" && cools ? SystemMode.Cool : SystemMode.Heat;
}

function hundredths(low: number, high: number, degrees: number | undefined): number | undefined {
  return within(low, high, degrees === undefined ? undefined : degrees * 100);
}
