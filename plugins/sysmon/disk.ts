// File systems: one device for each mount point of the configuration.
import { statfs } from "node:fs/promises";
import { Type } from "../sdk/index.ts";
import type { SysmonPlugin, Watch } from "./config.ts";
import { percent, roundTo } from "./readings.ts";
import { createThreshold } from "./threshold.ts";

export interface DiskBlocks {
  bsize: number;
  blocks: number;
  bfree: number;
  /** Free for everyone but root. */
  bavail: number;
}

const GIB = 1024 ** 3;
const STEP_GIB = 0.1;

const capabilities = Type.Object({
  mount: Type.String({ title: "Mount point" }),
  total_gib: Type.Number({ title: "Size", unit: "GiB", minimum: 0 }),
  free_gib: Type.Number({ title: "Free", unit: "GiB", minimum: 0 }),
  used_pct: Type.Integer({ title: "In use", unit: "%", minimum: 0, maximum: 100 }),
});

export const watchDisks: Watch = (plugin) => {
  const taken = new Set<string>();
  const reports = plugin.config.filesystems.map((mount) => watchDisk(plugin, mount, deviceName(mount, taken)));
  return async function reportDisks() {
    await Promise.all(reports.map((report) => report()));
  };
};

function watchDisk(plugin: SysmonPlugin, mount: string, name: string): () => Promise<void> {
  const id = `${plugin.id}_disk_${name}`;
  const device = plugin.device({ id, name: `Disk ${mount}`, deviceType: "sensor", capabilities });
  const checkLimit = createThreshold(plugin, plugin.config.disk_warn_pct, `disk_full_${name}`, (used) => ({
    message: `The file system ${mount} is ${used} % full.`,
    remedy: "Delete what is not needed, shorten the history's retention, or move to a larger disk.",
  }));
  let missing = false;

  return async function reportDisk() {
    try {
      const state = describeDisk(await statfs(mount));
      device.available(true);
      device.set({ mount, ...state });
      missing = false;
      checkLimit(state.used_pct);
    } catch {
      if (!missing) plugin.log.warn("a file system cannot be read", { mount });
      missing = true;
      device.available(false);
    }
  };
}

/** As `df` does it: space reserved for root is neither used nor free. */
export function describeDisk({ bsize, blocks, bfree, bavail }: DiskBlocks) {
  const used = blocks - bfree;
  return {
    total_gib: roundTo((blocks * bsize) / GIB, STEP_GIB),
    free_gib: roundTo((bavail * bsize) / GIB, STEP_GIB),
    used_pct: percent(used, used + bavail),
  };
}

/** `/mnt/usb stick` → `mnt_usb_stick`, `/` → `root`; a number follows when another mount has that name already. */
export function deviceName(mount: string, taken: Set<string>): string {
  const plain = mount.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") || "root";
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}
