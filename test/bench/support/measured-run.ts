// Runs a program to its end and reports what it gave to the disk, whatever it wrote while it closed included.

export interface MeasuredRun {
  /** What it printed: one JSON value a line. */
  lines: unknown[];
  /** `write_bytes` of /proc/PID/io at its end, which Linux hands on as the blocks of its resource usage. */
  writtenBytes: number;
}

const BLOCK_BYTES = 512;

/** Throws where the program fails. */
export async function runMeasured(script: URL, order: unknown): Promise<MeasuredRun> {
  const child = Bun.spawn([process.execPath, script.pathname, JSON.stringify(order)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  const code = await child.exited;
  if (code !== 0) throw new Error(`${script.pathname} ended with ${code}`);
  return {
    lines: text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    writtenBytes: Number(child.resourceUsage()?.ops.out) * BLOCK_BYTES,
  };
}
