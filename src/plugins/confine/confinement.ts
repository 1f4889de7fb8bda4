// Whether a plugin is confined, and how: what its entry asks for, what the kernel can, and what came of both.
import type { Log } from "../../core/log.ts";
import type { Home } from "../../home/paths.ts";
import type { PluginEntry } from "../config.ts";
import { exposed, grantsOf, rulesOf } from "./grants.ts";
import { gaps, handledRights, type Landlock, scopes } from "./landlock.ts";
import type { StageOrder } from "./stage.ts";

/** Whether the plugin is confined, or would be at its next start, and why (not). */
export interface Verdict {
  confined: boolean;
  detail: string;
}

export interface Confinement {
  verdict(entry: Pick<PluginEntry, "confine">): Verdict;
  /** Why it may not be started at all: `strict` where there is no Landlock. */
  whyNot(entry: Pick<PluginEntry, "confine">): string | undefined;
  /** What confined plugins can read all the same, with the mend. */
  problems(): string[];
  /** What is to be run so that the program runs confined. Throws HubError `config` when the entry would open what is the hub's. */
  through(entry: PluginEntry, program: Program): Program & { input: string };
}

export interface Program {
  binary: string;
  config: string;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

export interface ConfinementOptions {
  /** Asked once, when first needed. */
  landlock: () => Landlock;
  home: Home;
  execPath: string;
  /** Files and folders of the hub's outside its home that no plugin may read. */
  secrets: readonly string[];
  stageSource: () => string;
  isRoot: boolean;
  log: Pick<Log, "warn">;
}

// What root can do beyond files, of those that would lead around the confinement: modules, raw memory and disks, file
// handles, tracing, mounting, device files, rebooting, limits, the kernel's log.
const DROPPED = [2, 9, 16, 17, 18, 19, 20, 21, 22, 24, 26, 27, 30, 32, 33, 34, 35, 36, 37, 38, 39, 40];

export function createConfinement(options: ConfinementOptions): Confinement {
  const { home, execPath, secrets, isRoot } = options;
  let asked: Landlock | undefined;
  let source: string | undefined;
  const landlock = (): Landlock => {
    asked ??= options.landlock();
    return asked;
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
      return `cannot be confined, as confine = "strict" asks: ${landlock().reason}; "auto" would run it free`;
    },
    problems: () =>
      exposed(secrets).map((path) => `${path} is a secret that confined plugins can read: keep it in ${home.config}`),
    through(entry, program) {
      const { binary, config, argv, cwd, env } = program;
      const { list, missing } = grantsOf({ entry, home, binary, config, execPath, secrets, isRoot });
      if (missing.length > 0)
        options.log.warn("a plugin may touch what is not there; it is seen at its next start", {
          plugin: entry.id,
          paths: missing,
        });
      const temporary = entry.env.TMPDIR === undefined ? `${cwd}/tmp` : undefined;
      const order: StageOrder = {
        argv: [...argv],
        env: { ...env, ...(temporary && { TMPDIR: temporary }) },
        cwd,
        handled: handledRights(landlock().abi),
        scoped: scopes(landlock().abi),
        rules: rulesOf(list),
        temporary,
        drop: isRoot ? DROPPED : [],
      };
      source ??= options.stageSource();
      return {
        ...program,
        // What a `.js` plugin gets as well: no `.env`, no bunfig.toml, nothing from the network.
        argv: [execPath, "--no-env-file", "--config=/dev/null", "--no-install", "-e", source],
        // Nothing of the plugin's: it is handed over on stdin, and counts only from the restriction on.
        env: { BUN_BE_BUN: "1" },
        cwd: "/",
        input: JSON.stringify(order),
      };
    },
  };
}
