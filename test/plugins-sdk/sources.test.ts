// sysmon's readers on texts as kernels write them, and on machines that lack them.
import { expect, test } from "bun:test";
import type { Notice } from "../../plugins/sdk/index.ts";
import { parseProcStat, usageBetween } from "../../plugins/sysmon/cpu.ts";
import { describeDisk, deviceName } from "../../plugins/sysmon/disk.ts";
import { parseMeminfo } from "../../plugins/sysmon/memory.ts";
import { parseMillidegrees, readTemperature } from "../../plugins/sysmon/temperature.ts";
import { createThreshold } from "../../plugins/sysmon/threshold.ts";

const files = (texts: Record<string, string>) => (path: string) => Promise.resolve(texts[path]);

test("/proc/stat: busy is all but idle and waiting, guests are not counted twice", () => {
  const text = "cpu  100 10 50 800 40 0 5 5 30 0\ncpu0 100 10 50 800 40 0 5 5 30 0\nintr 5\n";
  expect(parseProcStat(text)).toEqual({ busy: 170, total: 1010 });
  expect(parseProcStat("cpu 1 2 x 4\n")).toBeUndefined();
  expect(parseProcStat("")).toBeUndefined();
});

test("usage is the share of the time between two readings", () => {
  expect(usageBetween({ busy: 100, total: 1000 }, { busy: 150, total: 1200 })).toBe(25);
  expect(usageBetween({ busy: 100, total: 1000 }, { busy: 100, total: 1000 })).toBeUndefined();
  // Counters of a sleeping core may step back.
  expect(usageBetween({ busy: 100, total: 1000 }, { busy: 90, total: 1100 })).toBe(0);
});

test("/proc/meminfo", () => {
  const text =
    "MemTotal:        3884120 kB\nMemFree:          201234 kB\nMemAvailable:    2911000 kB\nSwapTotal:        102396 kB\nSwapFree:         100000 kB\n";
  expect(parseMeminfo(text)).toEqual({
    total: 3884120,
    available: 2911000,
    swap: { total: 102396, free: 100000 },
  });
  expect(parseMeminfo("MemTotal: 100 kB\nMemFree: 40 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")).toEqual({
    total: 100,
    available: 40,
  });
  expect(parseMeminfo("nothing")).toBeUndefined();
});

test("temperature: thermal zones, then hwmon, else nothing", async () => {
  const pi = {
    "/sys/class/thermal/thermal_zone0/type": "cpu-thermal",
    "/sys/class/thermal/thermal_zone0/temp": "48686",
  };
  expect(await readTemperature(files(pi))).toBe(48.5);
  const pc = {
    "/sys/class/thermal/thermal_zone0/type": "iwlwifi_1",
    "/sys/class/thermal/thermal_zone0/temp": "99000",
    "/sys/class/hwmon/hwmon0/name": "nvme",
    "/sys/class/hwmon/hwmon1/name": "k10temp",
    "/sys/class/hwmon/hwmon1/temp1_input": "61125",
  };
  expect(await readTemperature(files(pc))).toBe(61);
  expect(await readTemperature(files({}))).toBeUndefined();
  expect(parseMillidegrees("")).toBeUndefined();
  expect(parseMillidegrees("0")).toBeUndefined();
  expect(parseMillidegrees("-274000")).toBeUndefined();
});

test("a disk is measured as df does", () => {
  const gib = 1024 ** 3 / 4096;
  expect(describeDisk({ bsize: 4096, blocks: 100 * gib, bfree: 25 * gib, bavail: 20 * gib })).toEqual({
    total_gib: 100,
    free_gib: 20,
    used_pct: 79,
  });
});

test("every mount gets an id of its own that fits a topic", () => {
  const taken = new Set<string>();
  const names = ["/", "/mnt/usb stick", "/mnt/usb-stick", "/a+b#c"].map((mount) => deviceName(mount, taken));
  expect(names).toEqual(["root", "mnt_usb_stick", "mnt_usb_stick_2", "a_b_c"]);
});

test("a notice comes above its limit and goes only clearly below it", () => {
  const notices = new Map<string, Notice>();
  const plugin = {
    notice: (notice: Notice) => void notices.set(notice.code, notice),
    clearNotice: (code: string) => void notices.delete(code),
  };
  const judge = createThreshold(plugin, 90, "full", (value) => ({ message: `${value}`, remedy: "delete" }));
  const shown = [90, 91, 89, 88, 89].map((value) => {
    judge(value);
    return notices.size;
  });
  expect(shown).toEqual([0, 1, 1, 0, 0]);
});
