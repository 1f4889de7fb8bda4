// The table of a campaign: what was tried in each round, and what was lost.
import type { Campaign } from "./campaigns.ts";
import type { Outcome } from "./outcome.ts";

export interface Row extends Outcome {
  round: string;
  seed: number;
  secs: number;
  /** It was not over long after its time. */
  isCutOff: boolean;
  /** The command that plays it again. */
  repeat: string;
}

export function tableOf({ name, against }: Campaign, rows: readonly Row[]): string {
  const lost = rows.reduce((sum, row) => sum + row.lost.length, 0);
  const cutOff = rows.filter(({ isCutOff }) => isCutOff).length;
  const counts = [`${rows.length} rounds`, ...(cutOff > 0 ? [`${cutOff} cut off at the time`] : [])];
  const details = rows
    .filter((row) => row.lost.length > 0)
    .flatMap(({ round, seed, lost: found, repeat }) => [
      ...found.map((one) => `- ${round}, seed ${seed}: ${one}`),
      `- again: \`${repeat}\``,
    ]);
  return [
    `# ${name}: ${against}`,
    "",
    `${new Date().toISOString().slice(0, 16)}Z: ${counts.join(", ")}, ${lost === 0 ? "nothing lost" : `${lost} lost`}`,
    "",
    "| round | seed | s | tried | lost |",
    "| ----- | ---- | - | ----- | ---- |",
    ...rows.map(lineOf),
    ...(details.length > 0 ? ["", ...details] : []),
    "",
  ].join("\n");
}

function lineOf({ round, seed, secs, tried, isCutOff, lost }: Row): string {
  const what = isCutOff ? `cut off at the time: ${tried}` : tried;
  return `| ${[round, seed, secs, what, lost.length === 0 ? "nothing" : lost.length].map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}
