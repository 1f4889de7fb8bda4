// Wires the plugins that people upload.
import { createEntryFile } from "../config/plugin-entries.ts";
import { createMeta } from "../db/meta.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import { createPluginUploads, type PluginUploads } from "../plugins/uploads.ts";
import type { HubOptions } from "./options.ts";
import type { Stores } from "./wire-stores.ts";

export function pluginUploads(
  { home, platform, execPath }: Pick<HubOptions, "home" | "platform" | "execPath">,
  { db, mqttAccounts, plugins }: Pick<Stores, "db" | "mqttAccounts"> & { plugins: Plugins },
): PluginUploads {
  return createPluginUploads({
    home,
    execPath,
    plugins,
    entries: createEntryFile(home.hubToml),
    meta: createMeta(db),
    now: platform.clock.now,
    accountOf: (id) => (mqttAccounts.has(id) ? "is an MQTT account" : undefined),
  });
}
