// One child process in a process group of its own. A shell waits as its first process until the reaper knows the group.
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { SignalLine } from "../confine/signals/guard.ts";
import { killEscaped, type Reaper, RUN_MARK } from "./reaper.ts";
import { hasEnded } from "./usage.ts";

// `read` reads single bytes up to the newline. If the hub dies before it writes "go", it fails and nothing runs.
// oom_score_adj: when memory is short, the kernel kills a plugin before the hub. No core dump, as it would contain the plugin's
// secrets. The limit of the user's processes is -p in dash and -u in bash.
const WAIT = `{ echo 500 >/proc/self/oom_score_adj; ulimit -c 0; [ -z "$1" ] || ulimit -p "$1" || ulimit -u "$1"; } 2>/dev/null
shift
read -r go || exit 0
`;
// The plugin itself reads from /dev/null, as under systemd; the launcher reads its order from stdin.
const PLUGIN = 'exec "$@" </dev/null';
const LAUNCHER = 'exec "$@"';

// Bun mostly reports an end first, and it alone reports the exit code: what /proc says counts when it has said it twice.
const LOOK_MS = 5000;

export interface ChildOptions {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  reaper: Reaper;
  clock: Pick<Clock, "every">;
  /** How many processes and threads its user may have in total; no limit when absent. */
  userProcesses?: number | undefined;
  /** What the launcher gets on its stdin. */
  input?: string | undefined;
  /** What the launcher gets as its descriptor 3; it is disposed of in any case. */
  line?: SignalLine | undefined;
  /** What its processes are labelled with. */
  label?: number | undefined;
  /** It runs only while this is open. */
  fence?: Fence | undefined;
}

/** Both are null where the process has ended and the system did not say how. */
export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface Child {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the process has ended, and the rest of its group and the processes that left it are killed. */
  readonly exited: Promise<Exit>;
  terminate(): void;
  /** SIGKILL to the whole group. */
  kill(): void;
}

/** Rejects with the system's error, or when the reaper cannot be reached or the fence is closed; nothing runs then. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { argv, cwd, env, reaper, clock, userProcesses, input, label, fence } = options;
  using line = options.line;
  const mark = reaper.newMark();
  const script = WAIT + (input === undefined ? PLUGIN : LAUNCHER);
  const child = Bun.spawn(["/bin/sh", "-c", script, "sh", String(userProcesses ?? ""), ...argv], {
    cwd,
    env: { ...env, [RUN_MARK]: mark },
    stdio: ["pipe", "pipe", "pipe", ...(line ? [line.fd] : [])],
    detached: true,
  });
  const { pid } = child;
  const exited = endOf(child, clock).then(() => {
    sendTo(-pid, "SIGKILL");
    reaper.remove(pid);
    killEscaped({ mark, label });
    return {
      code: child.signalCode ? null : child.exitCode,
      signal: child.signalCode === null ? null : String(child.signalCode),
    };
  });
  try {
    await reaper.add(pid, label);
    fence?.assertOpen();
    child.stdin.write(`go\n${input ?? ""}`);
    await child.stdin.end();
  } catch (error) {
    sendTo(-pid, "SIGKILL");
    await exited;
    throw error;
  }
  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    terminate: () => sendTo(pid, "SIGTERM"),
    kill: () => sendTo(-pid, "SIGKILL"),
  };
}

/** Never rejects. Bun is not notified of an end where memory or descriptors were short at the start; its `exited` rejects then. */
async function endOf({ pid, exited }: { pid: number; exited: Promise<unknown> }, clock: ChildOptions["clock"]) {
  const seen = Promise.withResolvers<void>();
  let looks = 0;
  using _ = clock.every("end of a plugin", LOOK_MS, () => {
    looks = hasEnded(pid) ? looks + 1 : 0;
    if (looks === 2) seen.resolve();
  });
  await Promise.race([exited.catch(() => seen.promise), seen.promise]);
}

function sendTo(target: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended already.
  }
}
