// Main memory and swap.
import { freemem, totalmem } from "node:os";
import { Type } from "../sdk/index.ts";
import type { Watch } from "./config.ts";
import { percent, roundTo } from "./readings.ts";

/** In KiB, as the kernel counts. */
export interface MemoryReading {
  total: number;
  available: number;
  swap?: { total: number; free: number };
}

const STEP_MIB = 16;

const mib = (title: string) => Type.Integer({ title, unit: "MiB", minimum: 0 });
const share = (title: string) => Type.Integer({ title, unit: "%", minimum: 0, maximum: 100 });
const capabilities = Type.Object({
  total_mib: mib("Memory"),
  used_mib: mib("Memory in use"),
  available_mib: mib("Memory available"),
  used_pct: share("Memory in use"),
  swap_total_mib: Type.Optional(mib("Swap")),
  swap_used_mib: Type.Optional(mib("Swap in use")),
  swap_used_pct: Type.Optional(share("Swap in use")),
});

export const watchMemory: Watch = (plugin, read) => {
  const device = plugin.device({ id: `${plugin.id}_memory`, name: "Memory", deviceType: "sensor", capabilities });
  return async function reportMemory() {
    device.set(describe(parseMeminfo((await read("/proc/meminfo")) ?? "") ?? readingFromOs()));
  };
};

/** Undefined when it is not the text of /proc/meminfo. */
export function parseMeminfo(text: string): MemoryReading | undefined {
  const field = (name: string) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const total = field("MemTotal");
  // Kernels before 3.14 do not say what is available.
  const available = field("MemAvailable") ?? field("MemFree");
  if (total === undefined || available === undefined) return undefined;
  const swapTotal = field("SwapTotal");
  const swapFree = field("SwapFree");
  const swap = swapTotal && swapFree !== undefined ? { total: swapTotal, free: swapFree } : undefined;
  return { total, available, ...(swap ? { swap } : {}) };
}

function describe({ total, available, swap }: MemoryReading) {
  const usedSwap = swap && swap.total - swap.free;
  return {
    total_mib: Math.round(total / 1024),
    used_mib: inMib(total - available),
    available_mib: inMib(available),
    used_pct: percent(total - available, total),
    swap_total_mib: swap && Math.round(swap.total / 1024),
    swap_used_mib: usedSwap === undefined ? undefined : inMib(usedSwap),
    swap_used_pct: swap && usedSwap !== undefined ? percent(usedSwap, swap.total) : undefined,
  };
}

function inMib(kib: number): number {
  return roundTo(kib / 1024, STEP_MIB);
}

function readingFromOs(): MemoryReading {
  return { total: totalmem() / 1024, available: freemem() / 1024 };
}
