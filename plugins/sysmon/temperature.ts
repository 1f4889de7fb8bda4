// The processor's temperature, where the machine tells it: Linux thermal zones first, then hwmon sensors.
import type { ReadText } from "./files.ts";
import { roundTo } from "./rounding.ts";

// Zones that belong to the processor, on Raspberry Pis, other ARM boards and PCs.
const CPU_ZONE = /cpu|soc|x86_pkg|acpitz|package/i;
const CPU_SENSOR = /coretemp|k10temp|cpu_thermal|zenpower/i;
const MOST_ZONES = 16;

/** °C in steps of 0.5; undefined where there is no sensor. */
export async function readTemperature(read: ReadText): Promise<number | undefined> {
  return (await hottest(read, zonePaths, CPU_ZONE)) ?? (await hottest(read, sensorPaths, CPU_SENSOR));
}

/** Thousandths of a degree, as the kernel writes them; undefined for what no processor can have. */
export function parseMillidegrees(text: string | undefined): number | undefined {
  const celsius = text === undefined || text === "" ? Number.NaN : Number(text) / 1000;
  return celsius > -50 && celsius < 150 && celsius !== 0 ? roundTo(celsius, 0.5) : undefined;
}

interface SensorPaths {
  name: string;
  value: string;
}

const zonePaths = (at: number): SensorPaths => ({
  name: `/sys/class/thermal/thermal_zone${at}/type`,
  value: `/sys/class/thermal/thermal_zone${at}/temp`,
});

const sensorPaths = (at: number): SensorPaths => ({
  name: `/sys/class/hwmon/hwmon${at}/name`,
  value: `/sys/class/hwmon/hwmon${at}/temp1_input`,
});

async function hottest(
  read: ReadText,
  paths: (at: number) => SensorPaths,
  wanted: RegExp,
): Promise<number | undefined> {
  let highest: number | undefined;
  for (let at = 0; at < MOST_ZONES; at++) {
    const { name, value } = paths(at);
    const found = await read(name);
    // They are numbered without gaps.
    if (found === undefined) break;
    const celsius = wanted.test(found) ? parseMillidegrees(await read(value)) : undefined;
    if (celsius !== undefined) highest = Math.max(celsius, highest ?? celsius);
  }
  return highest;
}
