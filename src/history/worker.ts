// The history's own thread: a thin shell that hands messages to the store, and gives its long work a turn at a time so
// that messages come between.
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { FromWorker, Moment, SampleRows, ToWorker } from "./messages.ts";
import { openStore, type Store } from "./store.ts";

declare const self: Worker;

const post = (message: FromWorker): void => self.postMessage(message);
const logOf = (level: "debug" | "info" | "warn" | "error"): Log["info"] => {
  return (message, fields = {}) => post({ kind: "log", level, message, fields });
};
const log: Log = {
  debug: logOf("debug"),
  info: logOf("info"),
  warn: logOf("warn"),
  error: logOf("error"),
  child: () => log,
};

const STEPS_OF_A_FLUSH = 4;

let store: Store | undefined;
const jobs: Generator<void>[] = [];

function opened(): Store {
  if (!store) throw new HubError("unavailable", "the history is not open");
  return store;
}

/** One step of the work that is first in line. */
function step(): void {
  const [job] = jobs;
  if (!job?.next().done) return;
  jobs.shift();
  tellHealth();
}

/** A step; then the messages that came meanwhile have their turn. */
function work(): void {
  step();
  if (jobs.length > 0) setImmediate(work);
}

function settleIfDue(at: Moment): void {
  if (opened().settleDue && jobs.length === 0) queue(opened().settle(at));
}

function queue(job: Generator<void>): void {
  if (jobs.push(job) === 1) setImmediate(work);
}

function answer({ id, query, at }: Extract<ToWorker, { kind: "query" }>): void {
  try {
    post({ kind: "answer", id, page: opened().query(query, at) });
  } catch (error) {
    const { code, details } = error instanceof HubError ? error : new HubError("unavailable", "");
    post({ kind: "refusal", id, code, message: messageOf(error), details });
  }
}

function tellHealth(): void {
  post({ kind: "health", health: opened().health });
}

function handle(message: ToWorker): void {
  switch (message.kind) {
    case "open":
      store = openStore({ ...message.options, log }, message.at);
      tellHealth();
      break;
    case "record":
      opened().record(JSON.parse(message.rows) as SampleRows);
      post({ kind: "taken", samples: message.samples });
      break;
    case "flush":
      opened().flush(message.at);
      tellHealth();
      settleIfDue(message.at);
      // In a flood of messages `setImmediate` has no turn: then each flush takes some of the work along.
      for (let count = 0; count < STEPS_OF_A_FLUSH && opened().settleLate; count++) step();
      break;
    case "retain":
      queue(opened().retain(message.at, message.devices));
      break;
    case "query":
      answer(message);
      break;
    case "close":
      jobs.length = 0;
      opened().close(message.at);
      tellHealth();
      post({ kind: "closed" });
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => handle(data);
