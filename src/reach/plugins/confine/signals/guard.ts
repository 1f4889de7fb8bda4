// Where Landlock does not keep a plugin's signals (before Linux 6.12), a thread of the hub answers for each whether it goes to a process
// of the plugin, by its label (label.ts).
import { dlopen, ptr } from "bun:ffi";
import { closeSync, writeSync } from "node:fs";
import { release } from "node:os";
import { nextLabel } from "../label.ts";
import { launcherOf } from "../launcher-command.ts";
import { openKernel } from "./kernel.ts";
import { RECORD_BYTES, type StartMessage } from "./protocol.ts";

export interface SignalGuard extends Disposable {
  /** Why this machine lets the hub answer for no signals. It is tried once. */
  whyNot(): string | undefined;
  /** For one plugin that is started next, whose processes get this label. */
  open(label: number): SignalLine;
}

/** To be disposed of once the launcher runs, or will not. */
export interface SignalLine extends Disposable {
  /** What the launcher gets as its descriptor 3. */
  fd: number;
}

const OLDEST = [5, 9] as const;
// Long enough for an emulated processor.
const TIMEOUT_MS = 30_000;
const AF_UNIX = 1;
const SOCK_STREAM_CLOEXEC = 0o2000001;

export function createSignalGuard(execPath: string): SignalGuard {
  let tried: { reason: string | undefined } | undefined;
  /** This thread's end of the pipe. */
  let control: number | undefined;

  function start(): number {
    const [own, workers] = socketPair();
    const worker = new Worker(guardWorker(), { smol: true });
    worker.unref();
    worker.postMessage({ control: workers } satisfies StartMessage);
    return own;
  }

  return {
    whyNot() {
      tried ??= { reason: probe(execPath) };
      return tried.reason;
    },
    open(label) {
      control ??= start();
      const [hubs, launchers] = socketPair();
      const record = new BigInt64Array([BigInt(hubs), BigInt(label)]);
      writeSync(control, new Uint8Array(record.buffer), 0, RECORD_BYTES);
      return { fd: launchers, [Symbol.dispose]: () => closeSync(launchers) };
    },
    [Symbol.dispose]() {
      if (control !== undefined) closeSync(control);
      control = undefined;
    },
  };
}

/** For `new Worker(…)`: beside this file, or an entry point of its own in the executable, named by its path under `src/`. */
function guardWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/")
    ? "./reach/plugins/confine/signals/worker.ts"
    : new URL("./worker.ts", import.meta.url);
}

/** Starts a program that does nothing as a plugin is started. */
function probe(execPath: string): string | undefined {
  const [major = 0, minor = 0] = release().split(/[.-]/).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) return "this kernel is older than Linux 5.9";
  const label = nextLabel();
  if (label === undefined) return "the hub's own file locks are limited (`LimitLOCKS=`)";
  const kernel = openKernel();
  const self = kernel.openProcess(process.pid);
  const isHeld = self >= 0 && kernel.signal(self, 0) === 0;
  if (self >= 0) kernel.close(self);
  if (!isHeld) return "a filter of system calls around the hub forbids it to open processes";
  const [hubs, launchers] = socketPair();
  try {
    const order = {
      ...{
        argv: ["/bin/sh", "-c", ":"],
        env: {},
        cwd: "/",
        landlock: undefined,
        view: undefined,
        temporary: undefined,
        drop: [],
      },
      ...{ hub: process.pid, filtersCalls: true, network: false, unixSockets: false },
      ...{ signals: "asked" as const, label },
    };
    const { argv, env, input } = launcherOf(order, { execPath, command: undefined });
    const { success, stderr } = Bun.spawnSync(argv, {
      ...{ cwd: "/", env, timeout: TIMEOUT_MS },
      stdio: [Buffer.from(input), "ignore", "pipe", launchers],
    });
    return success ? undefined : refusalOf(String(stderr ?? "").trim());
  } finally {
    for (const fd of [hubs, launchers]) closeSync(fd);
  }
}

function refusalOf(said: string): string {
  if (said.includes("(error 16)"))
    return "a program around the hub, as of its container, answers for system calls already";
  if (said.includes("(error 1)"))
    return "a filter of system calls around the hub forbids it: `sudo hub service install` renews the service's";
  return said || "no answer";
}

function socketPair(): [number, number] {
  const library = dlopen("libc.so.6", { socketpair: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" } });
  try {
    const ends = new Int32Array(2);
    if (library.symbols.socketpair(AF_UNIX, SOCK_STREAM_CLOEXEC, 0, ptr(ends)) !== 0)
      throw new Error("no pair of sockets could be made: too many files may be open");
    const [one = -1, other = -1] = ends;
    return [one, other];
  } finally {
    library.close();
  }
}
