// What keeps plugins of the configuration from starting, as far as files show it without a hub.
import type { Problem } from "../core/schema.ts";
import type { Home } from "../home/paths.ts";
import { whyNotBinary, whyNotConfig } from "./command.ts";
import type { PluginEntry } from "./config.ts";

/** Warnings: the hub starts without them, and goes on trying. Those that are switched off are not looked at. */
export function startProblems(entries: readonly PluginEntry[], home: Pick<Home, "resolve">): Problem[] {
  return entries.flatMap(({ enabled, binary, config }, index) => {
    if (!enabled) return [];
    const found = {
      binary: whyNotBinary(binary, home.resolve(binary)),
      config: config === undefined ? undefined : whyNotConfig(config, home.resolve(config)),
    };
    return Object.entries(found).flatMap(([key, reason]) =>
      reason === undefined
        ? []
        : [{ path: `plugins[${index}].${key}`, message: `${reason}: the plugin will be offline`, warning: true }],
    );
  });
}
