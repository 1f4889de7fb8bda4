// The history's worker thread: passes messages to the store, and runs its long work step by step, so that messages are handled
// in between.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { MergedSeries } from "./store/merge.ts";
import { openStore, type Store } from "./store/store.ts";
import type { FromWorker, Moment, SampleRows, ToWorker } from "./worker-protocol.ts";

declare const self: Worker;

const post = (message: FromWorker): void => self.postMessage(message);
const logOf = (level: Extract<FromWorker, { kind: "log" }>["level"]): Log["info"] => {
  return (message, fields = {}) => post({ kind: "log", level, message, fields });
};
const log: Log = {
  debug: logOf("debug"),
  info: logOf("info"),
  warn: logOf("warn"),
  error: logOf("error"),
  always: logOf("always"),
  child: () => log,
};

const STEPS_PER_FLUSH = 4;

let store: Store | undefined;
const jobs: Generator<void>[] = [];

function opened(): Store {
  if (!store) throw new HubError("unavailable", "the history is not open");
  return store;
}

/** One step of the first job in the queue. */
function step(): void {
  const [job] = jobs;
  const isDone = job?.next().done;
  store?.checkpointIfDue();
  if (!isDone) return;
  jobs.shift();
  postHealth();
}

/** One step; then the messages that arrived meanwhile are handled. */
function work(): void {
  step();
  if (jobs.length > 0) setImmediate(work);
}

/** Whoever asks, or writes, has the present names. */
function renameIfDue(at: Moment): void {
  if (!opened().renameDue) return;
  while (jobs.length > 0) step();
  opened().renameAll(at);
}

function compactIfDue(at: Moment): void {
  if (opened().compactionDue && jobs.length === 0) enqueue(opened().compact(at));
}

function enqueue(job: Generator<void>): void {
  if (jobs.push(job) === 1) setImmediate(work);
}

type Question = Extract<ToWorker, { id: number }>;

function answerTo(question: Question): Extract<FromWorker, { kind: "answer" }>["page"] {
  const { kind, at } = question;
  renameIfDue(at);
  if (kind === "query") return opened().query(question.query, at);
  if (kind === "merge") return { added: opened().merge(JSON.parse(question.series) as MergedSeries, at) };
  return kind === "samples" ? opened().samples(question.query, at) : opened().kept(at);
}

function answer(question: Question): void {
  const { id } = question;
  try {
    post({ kind: "answer", id, page: answerTo(question) });
  } catch (error) {
    const { code, details } = error instanceof HubError ? error : new HubError("unavailable", "");
    post({ kind: "refusal", id, code, message: messageOf(error), details });
  }
}

function postHealth(): void {
  post({ kind: "health", health: opened().health });
}

function handle(message: ToWorker): void {
  switch (message.kind) {
    case "open":
      store = openStore({ ...message.options, log }, message.at);
      postHealth();
      break;
    case "record":
      opened().record(JSON.parse(message.rows) as SampleRows);
      post({ kind: "taken", samples: message.samples });
      break;
    case "replay":
      opened().replay(JSON.parse(message.rows) as SampleRows, message.mark);
      break;
    case "flush":
      opened().flush(message.at, message.mark);
      renameIfDue(message.at);
      opened().checkpointIfDue();
      postHealth();
      compactIfDue(message.at);
      // In a flood of messages `setImmediate` never fires: then each flush does some of the work.
      for (let count = 0; count < STEPS_PER_FLUSH && opened().compactionLate; count++) step();
      break;
    case "look":
      if (opened().look(message.at)) postHealth();
      break;
    case "rename":
      opened().rename(message.renamed);
      break;
    case "forget":
      opened().forget(message.forgotten);
      renameIfDue(message.at);
      break;
    case "retain":
      enqueue(opened().retain(message.at, message.devices));
      break;
    case "query":
    case "samples":
    case "kept":
    case "merge":
      answer(message);
      break;
    case "release":
      store?.release();
      Bun.shrink();
      break;
    case "close":
      renameIfDue(message.at);
      jobs.length = 0;
      opened().close(message.at);
      postHealth();
      post({ kind: "closed" });
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => handle(data);
