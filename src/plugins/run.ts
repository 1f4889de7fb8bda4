// One run of a plugin's process, from the checked command to the last line it printed.
import { mkdirSync } from "node:fs";
import { type Clock, isoSeconds } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { within } from "../core/lifecycle.ts";
import type { Home } from "../home/paths.ts";
import { type Child, type Exit, startChild } from "./child.ts";
import { pluginCommand } from "./command.ts";
import type { PluginEntry } from "./config.ts";
import type { Confinement } from "./confine/confinement.ts";
import { refusalsIn } from "./confine/refusals.ts";
import { pluginEnvironment } from "./environment.ts";
import type { Guard } from "./guard.ts";
import type { Output, Run as OutputRun } from "./output.ts";
import type { LastExit } from "./records.ts";
import { ownTasks } from "./usage.ts";

const TERM_MS = 5000;
const KILL_MS = 2000;
// A process that left the group may hold the pipes open for ever.
const DRAIN_MS = 1000;

export interface RunOptions {
  entry: PluginEntry;
  home: Home;
  execPath: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  broker: () => { host: string; port: number; prefix: string };
  guard: Guard;
  output: Output;
  confinement: Confinement;
}

export interface Run {
  readonly pid: number;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<LastExit>;
  /** What its last lines say that the kernel refused it; nothing while it runs free. */
  refusals(): string[];
  /** SIGTERM, 5 s, SIGKILL to the group; false when even that did not end it in time. */
  stop(): Promise<boolean>;
}

/** Why it cannot run now, without trying. */
export function whyNotRunnable({ entry, home, execPath, confinement }: RunOptions): string | undefined {
  const { binary, config } = pathsOf(entry, home);
  const result = pluginCommand({ entry, binary, config, execPath });
  return result.ok ? confinement.whyNot(entry) : result.reason;
}

/** Starts the process. Rejects with a reason for people. */
export async function startRun(options: RunOptions, password: string): Promise<Run> {
  const { entry, home, clock, output, confinement } = options;
  const { binary, config } = pathsOf(entry, home);
  const result = pluginCommand({ entry, binary, config, execPath: options.execPath });
  if (!result.ok) throw new Error(result.reason);
  const folder = home.plugin(entry.id).root;
  const env = pluginEnvironment({
    env: options.env,
    entry,
    home: home.root,
    config,
    broker: options.broker(),
    password,
  });
  mkdirSync(folder, { recursive: true });
  const { argv, env: needed } = result.command;
  const { confined } = confinement.verdict(entry);
  const program = { binary, config, argv, cwd: folder, env: { ...env, ...needed } };
  const child = await startChild({
    ...(confined ? confinement.through(entry, program) : program),
    guard: options.guard,
    userProcesses: userProcesses(entry),
  });
  output.note(`started, process ${child.pid}${confined ? ", confined" : ""}`);
  const printed = output.attach([child.stdout, child.stderr], password);
  const refusals = (): string[] => (confined ? refusalsIn(printed.lastLines(), { folder, home }) : []);
  return {
    pid: child.pid,
    since: clock.mono(),
    ended: ending(child, { printed, refusals }, options),
    refusals,
    async stop() {
      child.terminate();
      if (await within(clock, TERM_MS, "plugin stop", child.exited)) return true;
      child.kill();
      return within(clock, KILL_MS, "plugin kill", child.exited);
    },
  };
}

// The kernel counts a user's processes, not a plugin's: what there is now and what the plugin may have.
function userProcesses({ max_processes }: PluginEntry): number | undefined {
  const now = max_processes === 0 ? undefined : ownTasks();
  return now === undefined ? undefined : now + max_processes;
}

interface Ending {
  printed: OutputRun;
  refusals: () => string[];
}

async function ending(child: Child, { printed, refusals }: Ending, options: RunOptions): Promise<LastExit> {
  const { clock, output, entry } = options;
  const exit = await child.exited;
  printed.hurry();
  await within(clock, DRAIN_MS, "plugin output", printed.finished);
  printed.close();
  const [refused] = exit.code === 0 ? [] : refusals();
  const reason = [reasonOf(exit, entry.binary, printed.lastLines()), refused].filter(Boolean).join("; ");
  output.note(reason);
  return { at: isoSeconds(clock.now()), ...exit, reason, output: printed.lastLines() };
}

export function failedStart(error: unknown, clock: Clock): LastExit {
  return { at: isoSeconds(clock.now()), code: null, signal: null, reason: messageOf(error), output: [] };
}

function pathsOf(entry: PluginEntry, home: Home): { binary: string; config: string } {
  return {
    binary: home.resolve(entry.binary),
    config: entry.config === undefined ? home.plugin(entry.id).configToml : home.resolve(entry.config),
  };
}

function reasonOf({ code, signal }: Exit, binary: string, lines: readonly string[]): string {
  if (signal !== null) return `ended by ${signal}`;
  if (code === 0) return "ended by itself with exit code 0";
  // What stands between the hub and the plugin says it in words.
  const own = lines.at(-1)?.startsWith("hub: ") ? lines.at(-1)?.slice(5) : undefined;
  if (code === 125 && own) return own;
  // What the shell says when it cannot execute a file that is there.
  if (code === 126) return `exit code 126: ${own ?? `${binary} may be built for another kind of machine`}`;
  if (code === 127) return `exit code 127: the interpreter ${binary} names in its first line may be missing`;
  return `ended with exit code ${code}`;
}
