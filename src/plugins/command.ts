// What to execute for a `[[plugins]]` entry, checked first: a shell's 126 and 127 tell a person nothing.
import { accessSync, constants, statSync } from "node:fs";
import { messageOf, systemCode } from "../core/errors.ts";
import type { PluginEntry } from "./config.ts";

export interface Command {
  argv: string[];
  /** Variables this command needs beyond the plugin's own. */
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
  // Without these Bun would load `.env`, run the `preload` of a bunfig.toml and fetch missing packages from the network.
  const flags = ["--no-env-file", "--config=/dev/null", "--no-install"];
  return {
    ok: true,
    command: {
      argv: [execPath, ...flags, binary, config, ...entry.args],
      // The first makes the hub's executable plain Bun: without it this would start another hub.
      env: { BUN_BE_BUN: "1", BUN_FEATURE_FLAG_NO_ORPHANS: "1" },
    },
  };
}

/** Run by the hub's own Bun. */
export function isScript(path: string): boolean {
  return /\.[jt]s$/.test(path);
}

/** Why a binary cannot be run; `name` is how the configuration calls it. */
export function whyNotBinary(name: string, path: string, script = isScript(path)): string | undefined {
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

/** The same of a configuration that the entry names. One that it does not name need not be there. */
export function whyNotConfig(name: string | undefined, path: string): string | undefined {
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
