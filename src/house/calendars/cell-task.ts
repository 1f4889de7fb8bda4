// What is done in the cell that reads a calendar (kit/lifecycle/cell.ts).
import { readFileSync } from "node:fs";
import { markLine } from "../../kit/lifecycle/cell.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { ReadCalendar, ReadRequest } from "./occurrence.ts";
import { readCalendar } from "./read.ts";

export interface CalendarRequest extends ReadRequest {
  /** Absolute. */
  path: string;
}

export type CalendarAnswer =
  | { kind: "read"; calendar: ReadCalendar }
  | { kind: "no_calendar" }
  | { kind: "failed"; message: string };

/** Writes marks, then the answer. */
export function readInCell({ path, ...request }: CalendarRequest, write: (text: string) => void): void {
  write(`${JSON.stringify(answerTo(path, request, (entry) => write(markLine(entry))))}\n`);
}

function answerTo(path: string, request: ReadRequest, mark: (entry: number) => void): CalendarAnswer {
  try {
    const calendar = readCalendar(readFileSync(path, "utf8"), request, mark);
    return calendar ? { kind: "read", calendar } : { kind: "no_calendar" };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}
