// A cell: a child process that reads foreign bytes. It has bounds of memory and time, and ends after its work; whatever happens in it,
// the house goes on. What it may touch of the machine is decided by who makes its program (reach/plugins/confine/cell.ts).
import { readFileSync } from "node:fs";
import type { Clock } from "../time/clock.ts";

export interface CellProgram {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** On its stdin. */
  input?: string;
}

export interface CellBounds {
  memoryBytes: number;
  /** Of the processor, in all and since the last mark. */
  cpuMs: number;
  markCpuMs: number;
  /** By the clock, for one that waits or cannot be measured. */
  wallMs: number;
  /** Of its answer. */
  outputChars: number;
}

export type CellLimit = "memory" | "time" | "output";

export type CellEnd =
  | { kind: "done"; answer: string }
  /** `mark`: the last one, and so what it was at. */
  | { kind: "over"; limit: CellLimit; mark: number | undefined }
  /** It ended by itself, as where memory was short. */
  | { kind: "died"; how: string; mark: number | undefined };

const POLL_MS = 100;
/** A line that begins with this is a mark; the other one is the answer. */
const MARK = "@";

// When memory is short, the kernel ends a cell before all else. No core dumps, and no file of any size. The limit of the processor's
// time is for a cell whose hub is gone. A shell that lacks one of them goes on without it.
const PRELUDE = `{ echo 1000 >/proc/self/oom_score_adj; ulimit -c 0; ulimit -f 0; ulimit -t "$1"; } 2>/dev/null
shift
exec "$@"`;

/** For the code inside. */
export function markLine(place: number): string {
  return `${MARK}${place}\n`;
}

/** Rejects where no process can be started, or when the signal aborts. */
export async function runCell(
  { argv, env, input }: CellProgram,
  bounds: CellBounds,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<CellEnd> {
  signal?.throwIfAborted();
  const seconds = String(Math.ceil(bounds.cpuMs / 1000) * 2);
  const child = Bun.spawn(["/bin/sh", "-c", PRELUDE, "sh", seconds, ...argv], {
    cwd: "/",
    // It ends with this process, however that ends.
    env: { ...env, BUN_FEATURE_FLAG_NO_ORPHANS: "1" },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "ignore",
    killSignal: "SIGKILL",
    ...(signal && { signal }),
  });
  const reading = createOutput();
  let over: CellLimit | undefined;
  const end = (limit: CellLimit): void => {
    over ??= limit;
    child.kill("SIGKILL");
  };
  const watched = { usage: () => usageOf(child.pid), mark: () => reading.mark, bounds, end };
  using _deadline = clock.after("cell", bounds.wallMs, () => end("time"));
  using _watch = clock.every("cell", POLL_MS, createWatch(watched));
  for await (const chunk of child.stdout) if (reading.push(chunk) > bounds.outputChars) end("output");
  const code = await child.exited;
  signal?.throwIfAborted();
  const { mark } = reading;
  if (over) return { kind: "over", limit: over, mark };
  if (code === 0) return { kind: "done", answer: reading.answer };
  return { kind: "died", how: String(child.signalCode ?? `exit code ${code}`), mark };
}

interface Watched {
  usage(): CellUsage | undefined;
  mark(): number | undefined;
  bounds: CellBounds;
  end(limit: CellLimit): void;
}

function createWatch({ usage, mark, bounds, end }: Watched): () => void {
  let since: { mark: number | undefined; cpuMs: number } = { mark: undefined, cpuMs: 0 };
  return function look() {
    const now = usage();
    if (!now) return;
    const at = mark();
    if (at !== since.mark) since = { mark: at, cpuMs: now.cpuMs };
    if (now.memoryBytes > bounds.memoryBytes) end("memory");
    else if (now.cpuMs > bounds.cpuMs || now.cpuMs - since.cpuMs > bounds.markCpuMs) end("time");
  };
}

/** The last mark, and the last line that is none: the answer. */
function createOutput() {
  const decoder = new TextDecoder();
  let open: string[] = [];
  let mark: number | undefined;
  let answer = "";
  const finish = (line: string): void => {
    if (line.startsWith(MARK)) mark = Number(line.slice(MARK.length));
    else answer = line;
  };
  return {
    get mark() {
      return mark;
    },
    get answer() {
      return answer;
    },
    /** Returns how long the present line is. */
    push(chunk: Uint8Array): number {
      const [head = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
      open.push(head);
      for (const piece of more) {
        finish(open.join(""));
        open = [piece];
      }
      return open.reduce((sum, part) => sum + part.length, 0);
    },
  };
}

// Read from /proc: limits of the kernel do not do, as of memory they count address space, of which JavaScript engines reserve gigabytes.
interface CellUsage {
  cpuMs: number;
  /** Its own, swapped out or not. */
  memoryBytes: number;
}

// USER_HZ, the same on all machines that the hub runs on.
const TICK_MS = 10;

/** Undefined where the process has ended, or the system does not say. */
function usageOf(pid: number): CellUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields of proc(5) from the third on: the name before them is in brackets and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8")
      .matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)
      .reduce((sum, [, number]) => sum + Number(number), 0);
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, memoryBytes: kilobytes * 1024 };
  } catch {
    return undefined;
  }
}
