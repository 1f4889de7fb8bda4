// Reads calendar files in a thread of their own, one after the other, each for a limited time.
import { type Clock, sleep } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { ReadCalendar } from "./occurrence.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

/** Rejects with HubError `invalid` for a file that is no calendar, cannot be read or takes too long. */
export type ReadFile = (request: ToWorker) => Promise<ReadCalendar>;

const LONGEST_MS = 60_000;

/** For `new Worker(…)`: beside this file, or an entry point of its own in the executable, named by its path under `src/`. */
export function calendarWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./calendars/worker.ts" : new URL("./worker.ts", import.meta.url);
}

export function createReader(source: string | URL, clock: Clock): ReadFile {
  let last: Promise<unknown> = Promise.resolve();
  return function readFile(request) {
    const reading = last.then(() => readNow(source, clock, request));
    last = reading.catch(() => {});
    return reading;
  };
}

async function readNow(source: string | URL, clock: Clock, request: ToWorker): Promise<ReadCalendar> {
  const worker = new Worker(source, { smol: true });
  const answer = Promise.withResolvers<FromWorker>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => answer.resolve(data);
  worker.onerror = ({ message }) => answer.resolve({ kind: "failed", message });
  const done = new AbortController();
  const tooLong = sleep(clock, "calendar", LONGEST_MS, done.signal).then((whole): FromWorker | Promise<FromWorker> =>
    whole ? { kind: "failed", message: `reading it takes longer than ${LONGEST_MS / 1000} s` } : answer.promise,
  );
  try {
    worker.postMessage(request);
    return resultOf(await Promise.race([answer.promise, tooLong]));
  } finally {
    done.abort();
    worker.terminate();
  }
}

function resultOf(answer: FromWorker): ReadCalendar {
  if (answer.kind === "read") return answer.calendar;
  if (answer.kind === "failed") throw new HubError("invalid", answer.message);
  throw new HubError("invalid", "it is no iCalendar file (.ics): it does not begin with BEGIN:VCALENDAR");
}
