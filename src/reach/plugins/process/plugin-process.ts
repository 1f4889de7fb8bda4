// One process of a plugin, from the checked command to the last line it printed.
import { mkdirSync } from "node:fs";
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { pluginCommand } from "../command.ts";
import type { PluginEntry } from "../config.ts";
import type { Confinement } from "../confine/confinement.ts";
import { denialsIn } from "../confine/denials.ts";
import type { Credentials } from "../credentials.ts";
import { type PluginBroker, pluginEnvironment } from "../environment.ts";
import type { LastExit } from "../records.ts";
import { type Child, type Exit, startChild } from "./child.ts";
import type { Capture, Output } from "./output.ts";
import type { Reaper } from "./reaper.ts";
import { ownTasks } from "./usage.ts";

const TERM_MS = 5000;
const KILL_MS = 2000;
// A process that left the group may keep the pipes open for ever.
const DRAIN_MS = 1000;

export interface ProcessOptions {
  entry: PluginEntry;
  home: Home;
  execPath: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  broker: () => PluginBroker;
  reaper: Reaper;
  output: Output;
  confinement: Confinement;
  fence?: Fence | undefined;
}

export interface PluginProcess {
  readonly pid: number;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<LastExit>;
  /** What the kernel denied it, according to its last lines; empty when it is not confined. */
  denials(): string[];
  /** SIGTERM, 5 s, SIGKILL to the group; false when even that did not end it in time. */
  stop(): Promise<boolean>;
}

/** Why it cannot run now; nothing is started. */
export function whyNotRunnable({ entry, home, execPath, confinement }: ProcessOptions): string | undefined {
  const { binary, config } = pathsOf(entry, home);
  const result = pluginCommand({ entry, binary, config, execPath });
  return result.ok ? confinement.whyNot(entry) : result.reason;
}

/** Rejects with a reason for people. */
export async function startProcess(options: ProcessOptions, { password, api }: Credentials): Promise<PluginProcess> {
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
    api,
  });
  mkdirSync(folder, { recursive: true });
  const { argv, env: needed } = result.command;
  const { confined, heldBy } = confinement.verdict(entry);
  const isHeld = heldBy !== "nothing";
  const program = { binary, config, argv, cwd: folder, env: { ...env, ...needed } };
  const child = await startChild({
    ...(isHeld ? confinement.wrap(entry, program) : program),
    reaper: options.reaper,
    clock,
    fence: options.fence,
    userProcesses: userProcesses(entry),
  });
  output.note(`started, process ${child.pid}${isHeld ? `, held by ${heldBy}` : ""}`);
  const capture = output.attach([child.stdout, child.stderr], [password, ...(api ? [api.token] : [])]);
  const denials = (): string[] =>
    confined ? denialsIn(capture.lastLines(), { folder, home, hides: heldBy === "namespaces" }) : [];
  return {
    pid: child.pid,
    since: clock.mono(),
    ended: waitForEnd(child, { capture, denials }, options),
    denials,
    async stop() {
      child.terminate();
      if (await within(clock, TERM_MS, "plugin stop", child.exited)) return true;
      output.note(`did not end within ${TERM_MS / 1000} s of SIGTERM: killed`);
      child.kill();
      return within(clock, KILL_MS, "plugin kill", child.exited);
    },
  };
}

// The kernel limits the processes of a user, not of a plugin: the present number plus what the plugin may have.
function userProcesses({ max_processes }: PluginEntry): number | undefined {
  const now = max_processes === 0 ? undefined : ownTasks();
  return now === undefined ? undefined : now + max_processes;
}

interface Evidence {
  capture: Capture;
  denials: () => string[];
}

async function waitForEnd(child: Child, { capture, denials }: Evidence, options: ProcessOptions): Promise<LastExit> {
  const { clock, output, entry } = options;
  const exit = await child.exited;
  capture.hurry();
  await within(clock, DRAIN_MS, "plugin output", capture.finished);
  capture.close();
  const [denied] = exit.code === 0 ? [] : denials();
  const reason = [reasonOf(exit, entry.binary, capture.lastLines()), denied].filter(Boolean).join("; ");
  output.note(reason);
  return { at: isoSeconds(clock.now()), ...exit, reason, output: capture.lastLines() };
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
  if (code === null) return "ended; the system did not say how";
  if (code === 0) return "ended by itself with exit code 0";
  // The launcher explains its failures in a line that begins with "hub: ".
  const own = lines.at(-1)?.startsWith("hub: ") ? lines.at(-1)?.slice(5) : undefined;
  if (code === 125 && own) return own;
  // The shell could not execute a file that exists.
  if (code === 126) return `exit code 126: ${own ?? `${binary} may be built for another kind of machine`}`;
  if (code === 127) return `exit code 127: the interpreter ${binary} names in its first line may be missing`;
  return `ended with exit code ${code}`;
}
