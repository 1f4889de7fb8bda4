// Wires the plugins that people upload.
import type { Plugins } from "../../reach/plugins/supervisor.ts";
import { createPluginUploads, type PluginUploads } from "../../reach/plugins/uploads.ts";
import { createMeta } from "../../server/db/meta.ts";
import { createEntryFile } from "../config/plugin-entries.ts";
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
