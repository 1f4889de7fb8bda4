// Runs a program that nobody knows yet, to read what it says of itself: confined as a plugin that may do nothing, without a network, in
// bounded time and memory, and whatever it starts ends with it.
import { Value } from "@sinclair/typebox/value";
import { HubError } from "../../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import { PluginEntry } from "../config.ts";
import { killEscaped, type Marks, RUN_MARK } from "../process/reaper.ts";
import type { Confinement } from "./confinement.ts";

export interface Probed {
  /** 124 where the time ran out. */
  code: number;
  stdout: string;
  stderr: string;
}

export type Probe = (argv: readonly string[], options?: { timeoutMs?: number }) => Promise<Probed>;

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
// Half a gigabyte of memory, a minute of the processor, no file, no core dump; and when memory is short, it goes first. Set within the
// confinement, whose launcher needs more.
const LIMITS = `{ ulimit -c 0; ulimit -f 0; ulimit -d 524288; ulimit -t 60; } 2>/dev/null
exec "$@"`;
const FIRST_TO_GO = `echo 1000 2>/dev/null >/proc/self/oom_score_adj
exec "$@"`;

/** Throws HubError `conflict` where this kernel cannot confine it: then nothing runs. */
export function createProbe(confinement: Pick<Confinement, "verdict" | "wrap">, random: RandomBytes): Probe {
  return async function probe(argv, { timeoutMs = TIMEOUT_MS } = {}) {
    const [binary = ""] = argv;
    const { confined, detail } = confinement.verdict({ confine: "auto" });
    if (!confined)
      throw new HubError(
        "conflict",
        `an uploaded program is looked at in a confinement, which this machine has not (${detail}): use \`hub upgrade FILE\` on the machine`,
      );
    // With a TMPDIR of its own, no folder is emptied for it.
    const entry = Value.Parse(PluginEntry, { id: "candidate", binary, env: { TMPDIR: "/nonexistent" } });
    const program = {
      ...{ binary, config: "/nonexistent", cwd: "/", env: { PATH: "/usr/bin:/bin" }, offline: true },
      argv: ["/bin/sh", "-c", LIMITS, "sh", ...argv],
    };
    return run(confinement.wrap(entry, program), { timeoutMs, mark: `probe-${uuid(random)}` });
  };
}

async function run(
  { argv, cwd, env, input, label }: ReturnType<Confinement["wrap"]>,
  { timeoutMs, mark }: { timeoutMs: number; mark: string },
): Promise<Probed> {
  const child = Bun.spawn(["/bin/sh", "-c", FIRST_TO_GO, "sh", ...argv], {
    cwd,
    env: { ...env, [RUN_MARK]: mark },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const both = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  try {
    child.stdin.write(input);
    await child.stdin.end();
    const code = await child.exited;
    endAll(child.pid, { mark, label });
    const [stdout, stderr] = await both;
    if (child.signalCode === "SIGKILL") return { code: 124, stdout, stderr: `${stderr}ended after ${timeoutMs} ms` };
    return { code, stdout, stderr: child.signalCode ? `${stderr}ended by ${child.signalCode}` : stderr };
  } finally {
    endAll(child.pid, { mark, label });
  }
}

function endAll(group: number, marks: Marks): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing of it runs any more.
  }
  killEscaped(marks);
}
