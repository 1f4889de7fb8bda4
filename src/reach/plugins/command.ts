// The command for a `[[plugins]]` entry, and what keeps it from running: the exit codes 126 and 127 of a shell explain nothing.
import { accessSync, constants, statSync } from "node:fs";
import { basename } from "node:path";
import { messageOf, systemCode } from "../../kit/schema/errors.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { Home } from "../../server/home/paths.ts";
import type { PluginEntry } from "./config.ts";

export interface Command {
  argv: string[];
  /** Variables that this command needs besides the plugin's own. */
  env: Record<string, string>;
}

export type CommandResult = { ok: true; command: Command } | { ok: false; reason: string };

export interface CommandOptions {
  entry: Pick<PluginEntry, "binary" | "config" | "args">;
  /** `binary` and `config` as absolute paths. */
  binary: string;
  config: string;
  execPath: string;
}

export function pluginCommand({ entry, binary, config, execPath }: CommandOptions): CommandResult {
  const script = isScript(binary);
  const reason = whyNotBinary(entry.binary, binary, script) ?? whyNotConfig(entry.config, config);
  if (reason) return { ok: false, reason };
  if (!script) return { ok: true, command: { argv: [binary, config, ...entry.args], env: {} } };
  // Without these flags Bun would load `.env`, run the `preload` of a bunfig.toml and download missing packages.
  const flags = ["--no-env-file", "--config=/dev/null", "--no-install"];
  return {
    ok: true,
    command: {
      argv: [execPath, ...flags, binary, config, ...entry.args],
      // BUN_BE_BUN makes the hub's executable behave as plain Bun; without it this would start another hub.
      env: { BUN_BE_BUN: "1", BUN_FEATURE_FLAG_NO_ORPHANS: "1" },
    },
  };
}

type Places = Pick<Home, "resolve" | "config" | "rules" | "hubToml" | "modesToml">;

/** What keeps the enabled plugins from starting. Warnings, as the hub starts nevertheless and retries them; and which configuration is in no backup. */
export function startProblems(entries: readonly PluginEntry[], home: Places): Problem[] {
  return entries.flatMap(({ id, enabled, binary, config }, index) => [
    ...configPlaceProblems({ id, config }, index, home),
    ...(enabled ? fileProblems({ binary, config }, index, home) : []),
  ]);
}

/** A backup has all of config/ and rules/ but this, as it may hold a password. */
function configPlaceProblems(
  { id, config = "" }: Pick<PluginEntry, "id" | "config">,
  index: number,
  home: Places,
): Problem[] {
  const path = home.resolve(config);
  const folder = [home.config, home.rules].find((one) => path.startsWith(`${one}/`));
  // What the hub itself reads there is in each backup.
  if (config === "" || folder === undefined || [home.hubToml, home.modesToml].includes(path)) return [];
  const message = `${config} lies in ${basename(folder)}/, whose files are in every backup, and is left out of them, as it may hold a password: put it into plugins/${id}/config/, and save it yourself`;
  return [{ path: `plugins[${index}].config`, message, warning: true }];
}

function fileProblems(
  { binary, config }: Pick<PluginEntry, "binary" | "config">,
  index: number,
  home: Pick<Home, "resolve">,
): Problem[] {
  const found = {
    binary: whyNotBinary(binary, home.resolve(binary)),
    config: config === undefined ? undefined : whyNotConfig(config, home.resolve(config)),
  };
  return Object.entries(found).flatMap(([key, reason]) =>
    reason === undefined
      ? []
      : [{ path: `plugins[${index}].${key}`, message: `${reason}: the plugin will be offline`, warning: true }],
  );
}

/** Whether the hub's own Bun runs it. */
export function isScript(path: string): boolean {
  return /\.[jt]s$/.test(path);
}

/** Why a binary cannot be run; `name` is its path in the configuration. */
function whyNotBinary(name: string, path: string, script = isScript(path)): string | undefined {
  try {
    if (statSync(path).isDirectory()) return `${name} is a directory, not a program`;
    accessSync(path, script ? constants.R_OK : constants.X_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return `${name} does not exist`;
    if (code !== "EACCES") return `${name} cannot be used: ${messageOf(error)}`;
    return script ? `${name} is not readable` : `${name} is not executable (chmod +x)`;
  }
}

/** Why a configuration file that the entry names cannot be read. Without a name, the file is optional. */
function whyNotConfig(name: string | undefined, path: string): string | undefined {
  if (name === undefined) return undefined;
  try {
    if (!statSync(path).isFile()) return `${name} is no file`;
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return `${name} does not exist`;
    return `${name} cannot be read: ${messageOf(error)}`;
  }
}
