// Whether a plugin is confined, and how: what its entry asks for and what the kernel supports.
import { readFileSync } from "node:fs";
import launcherBundle from "../../../dist/plugins/launcher.bundle.js" with { type: "file" };
import type { Log } from "../../core/log.ts";
import type { Home } from "../../home/paths.ts";
import type { PluginEntry } from "../config.ts";
import { exposed, grantsOf, rulesOf } from "./grants.ts";
import { gaps, handledRights, type Landlock, scopes } from "./landlock.ts";
import type { LaunchOrder } from "./launcher.ts";

/** Whether the plugin is confined, or would be at its next start, and why (not). */
export interface Verdict {
  confined: boolean;
  detail: string;
}

export interface Confinement {
  verdict(entry: Pick<PluginEntry, "confine">): Verdict;
  /** Why it must not be started: `strict`, and the kernel has no Landlock. */
  whyNot(entry: Pick<PluginEntry, "confine">): string | undefined;
  /** Secrets that confined plugins can read nevertheless, and what to do. */
  problems(): string[];
  /** The launcher that runs this program confined. Throws HubError `config` when the entry would open the hub's files. */
  wrap(entry: PluginEntry, program: Program): Program & { input: string };
}

export interface Program {
  binary: string;
  config: string;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

export interface ConfinementOptions {
  /** Called once, when first needed. */
  landlock: () => Landlock;
  home: Home;
  execPath: string;
  /** Files and folders of the hub outside its home that no plugin may read. */
  secrets: readonly string[];
  isRoot: boolean;
  log: Pick<Log, "warn">;
}

// The capabilities of root that would bypass the confinement: modules, raw memory and disks, file handles, tracing, mounting,
// device files, rebooting, limits, the kernel's log.
export const DROPPED = [2, 9, 16, 17, 18, 19, 20, 21, 22, 24, 26, 27, 30, 32, 33, 34, 35, 36, 37, 38, 39, 40];

export function createConfinement(options: ConfinementOptions): Confinement {
  const { home, execPath, secrets, isRoot } = options;
  let found: Landlock | undefined;
  let source: string | undefined;
  const landlock = (): Landlock => {
    found ??= options.landlock();
    return found;
  };

  return {
    verdict({ confine }) {
      if (confine === "off") return { confined: false, detail: 'confine = "off"' };
      const { abi, reason } = landlock();
      if (abi === 0) return { confined: false, detail: reason };
      return { confined: true, detail: [`Landlock ${abi}`, gaps(abi)].filter(Boolean).join(": ") };
    },
    whyNot({ confine }) {
      if (confine !== "strict" || landlock().abi > 0) return undefined;
      return `cannot be confined, as confine = "strict" asks: ${landlock().reason}; "auto" would run it unconfined`;
    },
    problems: () =>
      exposed(secrets).map((path) => `${path} is a secret that confined plugins can read: keep it in ${home.config}`),
    wrap(entry, program) {
      const { binary, config, argv, cwd, env } = program;
      const { list, missing } = grantsOf({ entry, home, binary, config, execPath, secrets, isRoot });
      if (missing.length > 0)
        options.log.warn("a path of read or write does not exist; it is checked again at the next start", {
          plugin: entry.id,
          paths: missing,
        });
      const temporary = entry.env.TMPDIR === undefined ? `${cwd}/tmp` : undefined;
      const order: LaunchOrder = {
        argv: [...argv],
        env: { ...env, ...(temporary && { TMPDIR: temporary }) },
        cwd,
        handled: handledRights(landlock().abi),
        scoped: scopes(landlock().abi),
        rules: rulesOf(list),
        temporary,
        drop: isRoot ? DROPPED : [],
        hub: process.pid,
        network: true,
        unixSockets: entry.unix_sockets,
      };
      source ??= readFileSync(launcherBundle, "utf8");
      return {
        ...program,
        // The same flags as for a `.js` plugin: no `.env`, no bunfig.toml, no downloads.
        argv: [execPath, "--no-env-file", "--config=/dev/null", "--no-install", "-e", source],
        // The plugin's own environment is in the order, and is set only when it is confined.
        env: { BUN_BE_BUN: "1" },
        cwd: "/",
        input: JSON.stringify(order),
      };
    },
  };
}
