// The processor: usage, load and temperature.
import { cpus, loadavg } from "node:os";
import { Type } from "../sdk/index.ts";
import type { Watch } from "./config.ts";
import { percent, type ReadText, roundTo } from "./readings.ts";
import { createThreshold } from "./threshold.ts";

/** Time since the machine started, in any unit: only the ratio is used. */
export interface CpuTimes {
  busy: number;
  total: number;
}

// The thermal zones and sensors of the processor, on Raspberry Pis, other ARM boards and PCs.
const CPU_ZONE = /cpu|soc|x86_pkg|acpitz|package/i;
const CPU_SENSOR = /coretemp|k10temp|cpu_thermal|zenpower/i;
const MAX_ZONES = 16;

const capabilities = Type.Object({
  usage_pct: Type.Optional(Type.Integer({ title: "Usage since the last report", unit: "%", minimum: 0, maximum: 100 })),
  load_1m: Type.Number({ title: "Load, 1 minute" }),
  load_5m: Type.Number({ title: "Load, 5 minutes" }),
  load_15m: Type.Number({ title: "Load, 15 minutes" }),
  cores: Type.Integer({ title: "Processor cores" }),
  temperature_c: Type.Optional(Type.Number({ title: "Temperature", unit: "°C" })),
});

export const watchCpu: Watch = (plugin, read) => {
  const device = plugin.device({ id: `${plugin.id}_cpu`, name: "Processor", deviceType: "sensor", capabilities });
  const checkLimit = createThreshold(plugin, plugin.config.temperature_warn_c, "temperature_high", (celsius) => ({
    message: `The processor is at ${celsius} °C.`,
    remedy: "Check the fan, the heat sink and the air around the machine; above 80 °C a Raspberry Pi slows down.",
  }));
  let before: CpuTimes | undefined;

  return async function reportCpu() {
    const times = parseProcStat((await read("/proc/stat")) ?? "") ?? timesFromOs();
    const celsius = await readTemperature(read);
    const [load1 = 0, load5 = 0, load15 = 0] = loadavg();
    device.set({
      usage_pct: before && usageBetween(before, times),
      load_1m: roundTo(load1, 0.1),
      load_5m: roundTo(load5, 0.1),
      load_15m: roundTo(load15, 0.1),
      cores: cpus().length,
      temperature_c: celsius,
    });
    before = times;
    if (celsius !== undefined) checkLimit(celsius);
  };
};

/** The sum line of /proc/stat: user nice system idle iowait irq softirq steal (guest times are inside user). */
export function parseProcStat(text: string): CpuTimes | undefined {
  const line = /^cpu +(.+)$/m.exec(text)?.[1];
  const fields = line?.trim().split(/\s+/).slice(0, 8).map(Number);
  if (!fields || fields.length < 4 || fields.some(Number.isNaN)) return undefined;
  const total = fields.reduce((sum, ticks) => sum + ticks, 0);
  return { busy: total - (fields[3] ?? 0) - (fields[4] ?? 0), total };
}

/** In whole percent; undefined when no time has passed between the two. */
export function usageBetween(before: CpuTimes, after: CpuTimes): number | undefined {
  const total = after.total - before.total;
  return total > 0 ? percent(after.busy - before.busy, total) : undefined;
}

function timesFromOs(): CpuTimes {
  const all = cpus().map(({ times }) => times);
  const total = all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { busy: total - all.reduce((sum, { idle }) => sum + idle, 0), total };
}

/** °C in steps of 0.5, from the thermal zones of Linux or else from hwmon; undefined if there is no sensor. */
export async function readTemperature(read: ReadText): Promise<number | undefined> {
  return (await hottest(read, zonePaths, CPU_ZONE)) ?? (await hottest(read, sensorPaths, CPU_SENSOR));
}

/** Thousandths of a degree, as the kernel writes them; undefined for an impossible temperature. */
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
  for (let at = 0; at < MAX_ZONES; at++) {
    const { name, value } = paths(at);
    const found = await read(name);
    // Zones are numbered without gaps.
    if (found === undefined) break;
    const celsius = wanted.test(found) ? parseMillidegrees(await read(value)) : undefined;
    if (celsius !== undefined) highest = Math.max(celsius, highest ?? celsius);
  }
  return highest;
}
