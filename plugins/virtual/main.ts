// virtual: a simulated house for demonstrations and tests. Creates its devices and advances its time.
import { runPlugin } from "../sdk/index.ts";
import { addActions } from "./actions.ts";
import { configSchema } from "./config.ts";
import { furnish } from "./house.ts";
import { VERSION } from "./simulated.ts";
import { createHouseClock, localSecs } from "./world.ts";

runPlugin({
  version: VERSION,
  configSchema,
  start(plugin) {
    const { interval_secs, speed, seed, battery_drain_pct_per_day, random_events } = plugin.config;
    const startSecs = localSecs(new Date());
    const furniture = furnish({
      plugin,
      world: { seed, batteryDrainPctPerDay: battery_drain_pct_per_day, randomEvents: random_events },
      clock: createHouseClock({ startSecs, speed, monotonicMs: () => performance.now() }),
    });
    const advance = () => {
      for (const device of furniture.all) device.advance();
    };
    advance();
    plugin.every(interval_secs * 1000, advance);
    addActions(plugin, furniture);
    return undefined;
  },
});
