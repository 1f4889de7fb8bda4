// One run of a plugin's process, from the checked command to the last line it printed.
import { mkdirSync } from "node:fs";
import { type Clock, isoSeconds } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { within } from "../core/lifecycle.ts";
import type { Home } from "../home/paths.ts";
import { type Child, type Exit, startChild } from "./child.ts";
import { pluginCommand } from "./command.ts";
import type { PluginEntry } from "./config.ts";
import { pluginEnvironment } from "./environment.ts";
import type { Guard } from "./guard.ts";
import type { Output, Run as OutputRun } from "./output.ts";
import type { LastExit } from "./records.ts";

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
}

export interface Run {
  readonly pid: number;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<LastExit>;
  /** SIGTERM, 5 s, SIGKILL to the group; false when even that did not end it in time. */
  stop(): Promise<boolean>;
}

/** Why it cannot run now, without trying. */
export function whyNotRunnable({ entry, home, execPath }: RunOptions): string | undefined {
  const { binary, config } = pathsOf(entry, home);
  const result = pluginCommand({ entry, binary, config, execPath });
  return result.ok ? undefined : result.reason;
}

/** Starts the process. Rejects with a reason for people. */
export async function startRun(options: RunOptions, password: string): Promise<Run> {
  const { entry, home, clock, output } = options;
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
  const child = await startChild({ argv, cwd: folder, env: { ...env, ...needed }, guard: options.guard });
  output.note(`started, process ${child.pid}`);
  const printed = output.attach([child.stdout, child.stderr], password);
  return {
    pid: child.pid,
    since: clock.mono(),
    ended: ending(child, printed, options),
    async stop() {
      child.terminate();
      if (await within(clock, TERM_MS, "plugin stop", child.exited)) return true;
      child.kill();
      return within(clock, KILL_MS, "plugin kill", child.exited);
    },
  };
}

async function ending(child: Child, printed: OutputRun, { clock, output, entry }: RunOptions): Promise<LastExit> {
  const exit = await child.exited;
  printed.hurry();
  await within(clock, DRAIN_MS, "plugin output", printed.finished);
  printed.close();
  const reason = reasonOf(exit, entry.binary);
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

function reasonOf({ code, signal }: Exit, binary: string): string {
  if (signal !== null) return `ended by ${signal}`;
  if (code === 0) return "ended by itself with exit code 0";
  // What the shell says when it cannot execute a file that is there.
  if (code === 126) return `exit code 126: ${binary} may be built for another kind of machine`;
  if (code === 127) return `exit code 127: the interpreter ${binary} names in its first line may be missing`;
  return `ended with exit code ${code}`;
}
