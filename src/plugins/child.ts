// One child process in a process group of its own, held at a gate until the guard knows the group.
import type { Guard } from "./guard.ts";
import { endStrays, RUN_MARK } from "./strays.ts";

// `read` takes single bytes up to the newline. If the hub dies before "go", it fails and nothing runs.
// The plugin itself reads from /dev/null, as under systemd.
const GATE = 'read -r go || exit 0; exec "$@" </dev/null';

export interface ChildOptions {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  guard: Guard;
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
export async function startChild({ argv, cwd, env, guard }: ChildOptions): Promise<Child> {
  const mark = guard.newMark();
  const gate = Bun.spawn(["/bin/sh", "-c", GATE, "sh", ...argv], {
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
    gate.stdin.write("go\n");
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
