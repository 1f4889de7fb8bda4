// Reads calendar files in cells, two at a time. An entry that takes too much ends its cell, and is left out of the next one, which reads
// the others; a calendar that did so waits for its own kind from then on, not the others for it.
import type { CellEnd, CellLimit } from "../../kit/lifecycle/cell.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { CalendarAnswer, CalendarRequest } from "./cell-task.ts";
import type { ReadCalendar } from "./occurrence.ts";

/** Rejects with HubError `invalid` for a file that is no calendar, cannot be read or takes too much. */
export type ReadFile = (request: CalendarRequest, signal?: AbortSignal) => Promise<ReadCalendar>;

/** Runs readInCell. */
export type RunCalendarCell = (request: CalendarRequest, signal?: AbortSignal) => Promise<CellEnd>;

const AT_ONCE = 2;
/** Of one calendar: more of them are no accident. */
const MAX_SKIPPED = 5;

const WHY: Readonly<Record<CellLimit | "died", string>> = {
  memory: "reading it takes more memory than a calendar may",
  time: "reading it takes longer than a calendar may",
  output: "it has more events than a calendar may",
  died: "reading it ended the program that reads it",
};

export function createReader(run: RunCalendarCell): ReadFile {
  const [others, heavy] = [createSlots(AT_ONCE), createSlots(1)];
  const tooMuch = new Set<string>();

  return async function readFile(request, signal) {
    using _slot = await (tooMuch.has(request.path) ? heavy : others).take();
    const skip: Skip[] = [];
    try {
      return await readAround((one) => run(one, signal), request, skip);
    } finally {
      if (skip.length > 0) tooMuch.add(request.path);
      else tooMuch.delete(request.path);
    }
  };
}

type Skip = NonNullable<CalendarRequest["skip"]>[number];

/** What took too much is added to `skip`, and left out of the next attempt. */
async function readAround(run: RunCalendarCell, request: CalendarRequest, skip: Skip[]): Promise<ReadCalendar> {
  for (;;) {
    const end = await run({ ...request, skip });
    if (end.kind === "done") return calendarIn(end.answer);
    const why = WHY[end.kind === "over" ? end.limit : "died"];
    const { mark } = end;
    const isKnown = skip.some(({ entry }) => entry === mark);
    if (mark !== undefined && !isKnown) skip.push({ entry: mark, why });
    if (mark === undefined || isKnown) throw new HubError("invalid", why);
    if (skip.length > MAX_SKIPPED)
      throw new HubError(
        "invalid",
        `more than ${MAX_SKIPPED} of its entries take too much to be read; the last: ${why}`,
      );
  }
}

function calendarIn(text: string): ReadCalendar {
  const answer: CalendarAnswer = JSON.parse(text);
  if (answer.kind === "read") return answer.calendar;
  if (answer.kind === "failed") throw new HubError("invalid", answer.message);
  throw new HubError("invalid", "it is no iCalendar file (.ics): it does not begin with BEGIN:VCALENDAR");
}

interface Slots {
  /** Resolves when one is free. */
  take(): Promise<Disposable>;
}

function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  const give = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return { [Symbol.dispose]: give };
    },
  };
}
