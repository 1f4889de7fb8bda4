// Whether a plugin is confined, and how: what its entry asks for and what the kernel supports.
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { PluginEntry } from "../config.ts";
import { exposed, grantsOf, rulesOf, viewOf } from "./grants.ts";
import { nextLabel } from "./label.ts";
import type { Landlock } from "./landlock.ts";
import type { LaunchOrder } from "./launcher.ts";
import { ALL_CAPABILITIES, DROPPED, launcherOf } from "./launcher-command.ts";
import { filtersSystemCalls, type HeldBy, type Means, meansOf } from "./means.ts";
import type { Namespaces } from "./namespaces.ts";
import type { SignalGuard, SignalLine } from "./signals/guard.ts";

/** By what the plugin is held, or would be at its next start, and why (not). */
export interface Verdict {
  /** Whether to its own folder. */
  confined: boolean;
  heldBy: HeldBy;
  detail: string;
}

export interface Confinement {
  verdict(entry: Pick<PluginEntry, "confine">): Verdict;
  /** Why it must not be started: `strict`, and the kernel cannot keep it to its folder. */
  whyNot(entry: Pick<PluginEntry, "confine">): string | undefined;
  /** Secrets that confined plugins can read nevertheless, and what to do. */
  problems(): string[];
  /** The launcher that runs this program as the verdict says. Throws HubError `config` when the entry would open the hub's files. */
  wrap(
    entry: PluginEntry,
    program: Program,
  ): Program & { input: string; line: SignalLine | undefined; label: number | undefined };
}

export interface Program {
  binary: string;
  config: string;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Without any network. */
  offline?: boolean;
}

export interface ConfinementOptions {
  /** These two are called once, when first needed. */
  landlock: () => Landlock;
  namespaces: () => Namespaces;
  /** Asks the kernel when absent. */
  filtersCalls?: (() => boolean) | undefined;
  /** Who answers for signals to its own processes; without it, a program may not send any. */
  guard?: SignalGuard | undefined;
  home: Home;
  execPath: string;
  /** Files and folders of the hub outside its home that no plugin may read. */
  secrets: readonly string[];
  isRoot: boolean;
  log: Pick<Log, "warn">;
}

export function createConfinement(options: ConfinementOptions): Confinement {
  const { home, execPath, secrets, isRoot, filtersCalls: filters = filtersSystemCalls } = options;
  let found: Means | undefined;
  const means = (): Means => {
    found ??= meansOf({ ...options, landlock: options.landlock(), filtersCalls: filters(), guard: options.guard });
    return found;
  };

  function verdict({ confine }: Pick<PluginEntry, "confine">): Verdict {
    if (confine === "off") return { confined: false, heldBy: "nothing", detail: 'confine = "off"' };
    const { heldBy, detail } = means();
    return { confined: heldBy === "landlock" || heldBy === "namespaces", heldBy, detail };
  }

  /** What only a plugin that is kept to its folder gets. */
  function restrictionsOf(entry: PluginEntry, { binary, config, argv, cwd }: Program) {
    const { landlock, command } = means();
    if (!landlock && !command) return { landlock: undefined, view: undefined, temporary: undefined };
    const { list, missing } = grantsOf({ entry, home, binary, config, execPath, secrets, isRoot });
    if (missing.length > 0)
      options.log.warn("a path of read or write does not exist; it is checked again at the next start", {
        plugin: entry.id,
        paths: missing,
      });
    const named = [...entry.read, ...entry.write].map(home.resolve);
    const names = [home.root, cwd, binary, config, ...argv, ...named].filter((name) => name.startsWith("/"));
    return {
      landlock: landlock && { ...landlock, rules: rulesOf(list) },
      view: command && viewOf(list, names),
      temporary: entry.env.TMPDIR === undefined ? `${cwd}/tmp` : undefined,
    };
  }

  return {
    verdict,
    whyNot(entry) {
      const { confined, detail } = verdict(entry);
      if (entry.confine !== "strict" || confined) return undefined;
      return `cannot be kept to its folder, as confine = "strict" asks: ${detail}; "auto" runs it so`;
    },
    problems: () =>
      exposed(secrets).map((path) => `${path} is a secret that confined plugins can read: keep it in ${home.config}`),
    wrap(entry, program) {
      const { argv, cwd, env } = program;
      const restrictions = restrictionsOf(entry, program);
      const { temporary } = restrictions;
      const { command, filtersCalls, signals } = means();
      const label = nextLabel();
      const line = signals === "asked" && label !== undefined ? options.guard?.open(label) : undefined;
      const order: LaunchOrder = {
        ...restrictions,
        argv: [...argv],
        env: { ...env, ...(temporary && { TMPDIR: temporary }) },
        cwd,
        drop: command ? ALL_CAPABILITIES : isRoot ? DROPPED : [],
        hub: process.pid,
        ...{ filtersCalls, signals, label },
        network: !program.offline,
        unixSockets: entry.unix_sockets,
      };
      return { ...program, ...launcherOf(order, { execPath, command }), cwd: "/", line, label };
    },
  };
}
