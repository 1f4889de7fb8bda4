// One child process in a process group of its own, held at a gate until the guard knows the group.
import type { Guard } from "./guard.ts";
import { endStrays, RUN_MARK } from "./strays.ts";

// `read` takes single bytes up to the newline. If the hub dies before "go", it fails and nothing runs.
// Where memory is short, the kernel ends a plugin before the hub. No core dump: it would hold the plugin's secrets. How
// many processes the user may have is -p in dash and -u in bash.
const GATE = `{ echo 500 >/proc/self/oom_score_adj; ulimit -c 0; [ -z "$1" ] || ulimit -p "$1" || ulimit -u "$1"; } 2>/dev/null
shift
read -r go || exit 0
`;
// The plugin itself reads from /dev/null, as under systemd.
const PLUGIN = 'exec "$@" </dev/null';
const STAGE = 'exec "$@"';

export interface ChildOptions {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  guard: Guard;
  /** How many processes and threads its user may have in all while it starts new ones; no limit where absent. */
  userProcesses?: number | undefined;
  /** Given to the program on its stdin, for a stage that then becomes the plugin. */
  input?: string | undefined;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface Child {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the process has ended; what is left of its group, or left it, is killed by then. */
  readonly exited: Promise<Exit>;
  terminate(): void;
  /** SIGKILL to the whole group. */
  kill(): void;
}

/** Rejects with the system's error, or when the guard cannot be told; nothing runs then. */
export async function startChild({ argv, cwd, env, guard, userProcesses, input }: ChildOptions): Promise<Child> {
  const mark = guard.newMark();
  const script = GATE + (input === undefined ? PLUGIN : STAGE);
  const gate = Bun.spawn(["/bin/sh", "-c", script, "sh", String(userProcesses ?? ""), ...argv], {
    cwd,
    env: { ...env, [RUN_MARK]: mark },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const { pid } = gate;
  const exited = gate.exited.then(() => {
    sendTo(-pid, "SIGKILL");
    guard.remove(pid);
    endStrays(mark);
    return {
      code: gate.signalCode ? null : gate.exitCode,
      signal: gate.signalCode === null ? null : String(gate.signalCode),
    };
  });
  try {
    await guard.add(pid);
    gate.stdin.write(`go\n${input ?? ""}`);
    await gate.stdin.end();
  } catch (error) {
    sendTo(-pid, "SIGKILL");
    await exited;
    throw error;
  }
  return {
    pid,
    stdout: gate.stdout,
    stderr: gate.stderr,
    exited,
    terminate: () => sendTo(pid, "SIGTERM"),
    kill: () => sendTo(-pid, "SIGKILL"),
  };
}

function sendTo(target: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, signal);
  } catch {
    // Nobody is left there to send it to.
  }
}
