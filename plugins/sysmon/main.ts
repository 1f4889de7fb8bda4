// sysmon: the machine that the hub runs on, as devices. Starts one watcher for each source.
import { runPlugin } from "../sdk/index.ts";
import { configSchema } from "./config.ts";
import { watchCpu } from "./cpu.ts";
import { watchDisks } from "./disk.ts";
import { watchMemory } from "./memory.ts";
import { readText } from "./readings.ts";
import { watchSystem } from "./system.ts";

// So that a new user sees the first changes before a whole interval has passed.
const SECOND_REPORT_MS = 1500;

runPlugin({
  version: "1.0.0",
  configSchema,
  async start(plugin) {
    for (const watch of [watchCpu, watchMemory, watchDisks, watchSystem]) {
      const report = watch(plugin, readText);
      await report();
      plugin.after(SECOND_REPORT_MS, report);
      plugin.every(plugin.config.interval_secs * 1000, report);
    }
  },
});
