// The cells of this hub: which program they run, and how much each may take.
import { join } from "node:path";
import type { CalendarRequest } from "../../house/calendars/cell-task.ts";
import type { RunCalendarCell } from "../../house/calendars/reader.ts";
import { type CellBounds, runCell } from "../../kit/lifecycle/cell.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { createCellConfinement } from "../../reach/plugins/confine/cell.ts";
import { probeLandlock } from "../../reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../reach/plugins/confine/namespaces.ts";

export interface CellsOptions {
  execPath: string;
  clock: Clock;
  /** How much a cell may take, where that is not what is usual. */
  bounds?: Partial<CellBounds>;
}

export interface Cells {
  calendar: RunCalendarCell;
}

const MEBIBYTE = 1_048_576;
const CALENDAR: CellBounds = {
  memoryBytes: 384 * MEBIBYTE,
  cpuMs: 60_000,
  markCpuMs: 5000,
  wallMs: 180_000,
  outputChars: 32 * MEBIBYTE,
};

/** Under this name a cell gets its request. */
const REQUEST = "HUB_CELL_REQUEST";

export function createCells({ execPath, clock, bounds }: CellsOptions): Cells {
  const confined = createCellConfinement({
    ...{ landlock: probeLandlock, namespaces: probeNamespaces, execPath, isRoot: process.getuid?.() === 0 },
  });
  const program = ownProgram(execPath);

  return {
    calendar(request: CalendarRequest, signal) {
      const task = {
        argv: [...program.argv, "cell", "calendar"],
        env: { [REQUEST]: JSON.stringify(request), BUN_FEATURE_FLAG_NO_ORPHANS: "1" },
        readable: [...program.readable, request.path],
      };
      return runCell(confined(task), { ...CALENDAR, ...bounds }, { clock, signal });
    },
  };
}

/** The executable; from the sources, Bun runs these. */
function ownProgram(execPath: string): { argv: string[]; readable: string[] } {
  if (Bun.main.startsWith("/$bunfs/")) return { argv: [execPath], readable: [] };
  const root = join(import.meta.dir, "..", "..", "..");
  const flags = ["--no-env-file", "--config=/dev/null", "--no-install"];
  return { argv: [execPath, ...flags, join(root, "src", "main.ts")], readable: [root] };
}
