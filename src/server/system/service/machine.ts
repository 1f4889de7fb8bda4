// The machine that `hub service` and `hub upgrade` change: commands to run, and where systemd's units are. Tests pass a fake
// that records the commands; files are real.
import { existsSync, readFileSync } from "node:fs";
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";

export interface Ran {
  /** 127 where there is no such command, 124 where the time ran out. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  /** Only these; this process's own by default. */
  env?: Record<string, string>;
  timeoutMs?: number;
  /** The user it runs as, without any right of this process. For root only. */
  as?: { uid: number; gid: number } | undefined;
}

export interface Machine {
  /** Runs a command to its end. */
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Whether systemd runs this machine. */
  hasSystemd(): boolean;
  readonly unitFolder: string;
  /** In Node's words: `linux`, `x64`, `arm64`. */
  readonly platform: string;
  readonly arch: string;
}

/** Identifies the present boot of the machine; undefined where the system has no such id. */
export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

const MAX_RUN_MS = 30_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export const thisMachine: Machine = {
  run,
  // As sd_booted(3) asks.
  hasSystemd: () => existsSync("/run/systemd/system"),
  unitFolder: "/etc/systemd/system",
  platform: process.platform,
  arch: process.arch,
};

async function run(
  argv: readonly string[],
  { cwd = "/", env, timeoutMs = MAX_RUN_MS, as }: RunOptions = {},
): Promise<Ran> {
  try {
    const child = Bun.spawn([...argv], {
      cwd,
      ...(env ? { env } : {}),
      ...(as ? { uid: as.uid, gid: as.gid } : {}),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    const both = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const code = await child.exited;
    const [stdout, stderr] = await both;
    if (child.signalCode === "SIGKILL") return { code: 124, stdout, stderr: `${stderr}ended after ${timeoutMs} ms` };
    return { code, stdout, stderr: child.signalCode ? `${stderr}ended by ${child.signalCode}` : stderr };
  } catch (error) {
    return { code: 127, stdout: "", stderr: systemCode(error) ?? messageOf(error) };
  }
}
