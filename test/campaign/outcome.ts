// What came of a round, read from what its program said.

export interface Outcome {
  /** In words: `36 tests`, `300 streams with …`, or that it was not run. */
  tried: string;
  lost: string[];
}

interface Ended {
  /** Null where it was killed. */
  code: number | null;
  output: string;
  /** A benchmark's rows, as JSON. */
  rows: string | undefined;
}

const MAX_LINES = 5;

export function readOutcome({ code, output, rows }: Ended): Outcome {
  const notRun = /^NOT RUN.*$/m.exec(output)?.[0];
  if (notRun !== undefined && code === 0) return { tried: notRun, lost: [] };
  const told = rows === undefined ? undefined : ofBench(rows);
  const lost = [...(told?.lost ?? []), ...(code === 0 ? [] : whyOf(code, output))];
  return { tried: told?.tried ?? triedOf(output), lost };
}

const lastOf = (lines: readonly string[]): string =>
  lines.findLast((line) => line.trim() !== "")?.trim() ?? "nothing said";

function triedOf(output: string): string {
  const passed = /^\s*(\d+) pass$/m.exec(output)?.[1];
  const asserted = /^\s*(\d+) expect\(\) calls$/m.exec(output)?.[1];
  if (passed !== undefined) return `${passed} tests${asserted === undefined ? "" : `, ${asserted} checks`}`;
  return lastOf(output.split("\n")).slice(0, 160);
}

function whyOf(code: number | null, output: string): string[] {
  const found = output.split("\n").filter((line) => /^\(fail\)|^FAIL|^WRONG|BROKE/.test(line));
  const shown = found.slice(0, MAX_LINES).map((line) => line.slice(0, 300));
  return shown.length > 0 ? shown : [`ended with ${code}: ${lastOf(output.split("\n")).slice(0, 300)}`];
}

/** How quick it was is nothing that is lost. */
function ofBench(text: string): Outcome {
  const { results } = JSON.parse(text) as { results: Record<string, { name: string; hub: number; met?: boolean }[]> };
  const rows = Object.values(results).flat();
  const lost = rows.filter(({ name, met }) => met === false && !/\b(ms|MiB)$/.test(name));
  return {
    tried: rows
      .slice(0, 2)
      .map(({ name, hub }) => `${hub} ${name}`)
      .join(", "),
    lost: lost.map(({ name, hub }) => `${name}: ${hub}`),
  };
}
