// sysmon: its readers with the texts of real kernels, and on machines that lack them; and the whole plugin as a process.
import { expect, test } from "bun:test";
import type { Notice } from "../../plugins/sdk/index.ts";
import { parseMillidegrees, parseProcStat, readTemperature, usageBetween } from "../../plugins/sysmon/cpu.ts";
import { describeDisk, deviceName } from "../../plugins/sysmon/disk.ts";
import { parseMeminfo } from "../../plugins/sysmon/memory.ts";
import { createThreshold } from "../../plugins/sysmon/threshold.ts";
import { until } from "../support/wait.ts";
import { openBroker } from "./support/broker.ts";
import { bundlePlugin, startChild } from "./support/child.ts";

const files = (texts: Record<string, string>) => (path: string) => Promise.resolve(texts[path]);

test("/proc/stat: busy is everything except idle and waiting, guests are not counted twice", () => {
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

test("a disk is measured as df does it", () => {
  const gib = 1024 ** 3 / 4096;
  expect(describeDisk({ bsize: 4096, blocks: 100 * gib, bfree: 25 * gib, bavail: 20 * gib })).toEqual({
    total_gib: 100,
    free_gib: 20,
    used_pct: 79,
  });
});

test("every mount gets a unique id that is valid in a topic", () => {
  const taken = new Set<string>();
  const names = ["/", "/mnt/usb stick", "/mnt/usb-stick", "/a+b#c"].map((mount) => deviceName(mount, taken));
  expect(names).toEqual(["root", "mnt_usb_stick", "mnt_usb_stick_2", "a_b_c"]);
});

test("a notice is raised above its limit and cleared clearly below it", () => {
  const notices = new Map<string, Notice>();
  const plugin = {
    notice: (notice: Notice) => void notices.set(notice.code, notice),
    clearNotice: (code: string) => void notices.delete(code),
  };
  const checkLimit = createThreshold(plugin, 90, "full", (value) => ({ message: `${value}`, remedy: "delete" }));
  const shown = [90, 91, 89, 88, 89].map((value) => {
    checkLimit(value);
    return notices.size;
  });
  expect(shown).toEqual([0, 1, 1, 0, 0]);
});

test("reports the machine at once and again within two seconds", async () => {
  await using bundle = await bundlePlugin("plugins/sysmon/main.ts");
  await using broker = await openBroker();
  const config = `${import.meta.dir}/../../plugins/sysmon/config.toml`;
  await using child = startChild({ bundle, port: broker.port, id: "sysmon", config });
  const states = (device: string) => broker.on(`house/devices/sysmon_${device}/state`);
  await until("the first reports", () =>
    ["cpu", "memory", "disk_root", "system"].every((device) => states(device).length > 0),
  );
  expect(states("memory")[0]).toMatchObject({ total_mib: expect.any(Number), used_pct: expect.any(Number) });
  expect(states("disk_root")[0]).toMatchObject({ mount: "/", total_gib: expect.any(Number) });
  expect(states("system")[0]).toMatchObject({ hostname: expect.any(String), kernel: expect.any(String) });
  await until("the second report", () => states("system").length > 1 && states("cpu").at(-1)?.usage_pct !== undefined);
  expect(broker.on("house/plugins/sysmon/register").map(({ device_id }) => device_id)).toEqual([
    "sysmon_cpu",
    "sysmon_memory",
    "sysmon_disk_root",
    "sysmon_system",
  ]);
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(await child.stderr).toBe("");
});
