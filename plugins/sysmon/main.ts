// sysmon: the machine the hub runs on, as devices. Starts one watcher for each source.
import { runPlugin } from "../sdk/index.ts";
import { configSchema } from "./config.ts";
import { watchCpu } from "./cpu.ts";
import { watchDisks } from "./disk.ts";
import { readText } from "./files.ts";
import { watchMemory } from "./memory.ts";
import { watchSystem } from "./system.ts";

// A new user sees the first changes after this, not only after a whole interval.
const SECOND_LOOK_MS = 1500;

runPlugin({
  version: "1.0.0",
  configSchema,
  async start(plugin) {
    for (const watch of [watchCpu, watchMemory, watchDisks, watchSystem]) {
      const report = watch(plugin, readText);
      await report();
      plugin.after(SECOND_LOOK_MS, report);
      plugin.every(plugin.config.interval_secs * 1000, report);
    }
  },
});
