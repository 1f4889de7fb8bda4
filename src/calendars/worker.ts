// The thread that reads a calendar's file: a large one takes seconds, in which the house must go on.
import { readFileSync } from "node:fs";
import { messageOf } from "../core/errors.ts";
import type { ReadCalendar, ReadRequest } from "./occurrence.ts";
import { readCalendar } from "./read.ts";

export interface ToWorker extends ReadRequest {
  path: string;
}

export type FromWorker =
  | { kind: "read"; calendar: ReadCalendar }
  | { kind: "no_calendar" }
  | { kind: "failed"; message: string };

declare const self: Worker;

function answerTo({ path, ...request }: ToWorker): FromWorker {
  try {
    const calendar = readCalendar(readFileSync(path, "utf8"), request);
    return calendar ? { kind: "read", calendar } : { kind: "no_calendar" };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => self.postMessage(answerTo(data));
