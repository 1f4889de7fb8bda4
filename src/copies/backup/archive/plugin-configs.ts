// The configurations of plugins that somebody keeps in config/ or rules/: they may hold passwords, and no backup has them.
import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isObject } from "../../../kit/schema/json.ts";
import { readTomlFile } from "../../../kit/schema/toml.ts";
import type { Home } from "../../../server/home/paths.ts";

interface PluginConfig {
  plugin: string;
  /** As hub.toml names it, relative to HUB_HOME or not. */
  named: string;
}

/** Real path → the plugin whose configuration it is. The hub's own files are never among them. */
export function pluginConfigsIn(home: Home): ReadonlyMap<string, string> {
  const own = new Set([home.hubToml, home.modesToml].flatMap((file) => realPath(file) ?? []));
  return new Map(
    configsNamed(home).flatMap(({ plugin, named }) => {
      const file = realPath(home.resolve(named));
      return file === undefined || own.has(file) ? [] : [[file, plugin] as const];
    }),
  );
}

/** Puts those that a restored hub.toml names, and that are here now, beside it. Returns what to report them. */
export function keepPluginConfigs(home: Home, staged: Home): string[] {
  return configsNamed(staged).flatMap(({ plugin, named }) => {
    const file = home.resolve(named);
    const path = relative(home.root, file);
    const target = join(staged.root, path);
    if (!/^(config|rules)\//.test(path) || existsSync(target) || !existsSync(file)) return [];
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    chmodSync(target, 0o600);
    return [`${path}, the configuration of the plugin "${plugin}", is in no backup: the one of this home stays`];
  });
}

/** None where hub.toml cannot be read: then no plugin runs. */
function configsNamed({ hubToml }: Home): PluginConfig[] {
  const read = existsSync(hubToml) ? readTomlFile(hubToml) : undefined;
  const plugins = read?.ok ? read.table.plugins : undefined;
  return (Array.isArray(plugins) ? plugins : []).flatMap((entry) => {
    if (!isObject(entry)) return [];
    const { id, config } = entry;
    return typeof config === "string" && config !== "" && !config.includes("\0")
      ? [{ plugin: String(id), named: config }]
      : [];
  });
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
