// What came of a round, read from what its program said.

export interface Outcome {
  /** In words: `12 kills; …`, `300 streams with …`, or that it was not run. */
  tried: string;
  lost: string[];
}

interface Ended {
  /** Undefined where its time was over. */
  code: number | undefined;
  output: string;
}

const MAX_LINES = 5;
const MAX_CHARACTERS = 300;

export function readOutcome({ code, output }: Ended): Outcome {
  const lines = output.split("\n");
  const lost = [...lostIn(lines), ...missedIn(output)].slice(0, MAX_LINES);
  if (code !== undefined && code !== 0 && lost.length === 0) lost.push(`ended with ${code}: ${lastOf(lines)}`);
  return { tried: triedIn(lines), lost: lost.map((line) => line.trim().slice(0, MAX_CHARACTERS)) };
}

const LOST = /^\s*(?:\(fail\)|error: |FAIL|FOUND|WRONG|NOT FLAT)|BROKE/;
/** The example, and what was answered. */
const EXAMPLE = /^ {6}/;

function lostIn(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    if (!LOST.test(line)) return [];
    const more = lines.slice(index + 1, index + 3).filter((one) => EXAMPLE.test(one));
    return [[line, ...more].map((one) => one.trim()).join(" ")];
  });
}

/** The targets of a benchmark; how quick it was is nothing that is lost. */
function missedIn(output: string): string[] {
  const missed = /^MISSED:\n((?: {2}.*\n?)+)/m.exec(output)?.[1] ?? "";
  return missed.split("\n").filter((line) => line.trim() !== "" && !/\b(?:ms|MiB)$/.test(line));
}

const lastOf = (lines: readonly string[]): string =>
  lines.findLast((line) => line.trim() !== "")?.trim() ?? "nothing said";

function triedIn(lines: readonly string[]): string {
  const said = lines.flatMap((line) => /^tried: (.*)$/.exec(line)?.[1] ?? /^(NOT RUN.*)$/.exec(line)?.[1] ?? []);
  if (said.length > 0) return said.join("; ");
  const passed = lines.flatMap((line) => /^\s*(\d+) pass$/.exec(line)?.[1] ?? [])[0];
  const checks = lines.flatMap((line) => /^\s*(\d+) expect\(\) calls$/.exec(line)?.[1] ?? [])[0];
  if (passed !== undefined) return `${passed} tests, ${checks ?? 0} checks`;
  return lastOf(lines).slice(0, MAX_CHARACTERS);
}
