// Exports of the history that are far behind, or that lost something.
import type { Finding, Watch } from "../alert.ts";

interface ExportProblem {
  name: string;
  why: string | undefined;
  lagMinutes: number | undefined;
  lost: number;
}

const MEND =
  "What is recorded waits in the hub's own history, and goes there once that works again. What it refuses is in the log.";

export function exportWatch(problems: () => readonly ExportProblem[]): Watch {
  return { name: "exports", check: () => problems().flatMap((problem) => [...lagging(problem), ...lossy(problem)]) };
}

function lagging({ name, why = "it is slow", lagMinutes }: ExportProblem): Finding[] {
  if (lagMinutes === undefined) return [];
  return [
    {
      kind: "history_export",
      about: name,
      severity: "warning",
      message: `The history export ${name} is ${lagMinutes} minutes behind: ${why}`,
      mend: MEND,
      values: { export: name, minutes: lagMinutes, reason: why },
    },
  ];
}

function lossy({ name, lost }: ExportProblem): Finding[] {
  if (lost === 0) return [];
  return [
    {
      kind: "history_export",
      about: `${name} lost`,
      severity: "warning",
      variant: "lost",
      message: `The history export ${name} has lost values: ${lost} so far`,
      mend: MEND,
      values: { export: name, lost },
    },
  ];
}
