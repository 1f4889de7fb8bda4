// The main thread's side of the history's worker: sends it messages, waits for its answers, and starts a new worker when one
// dies.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import { type BackoffOptions, createBackoff } from "../../kit/time/backoff.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import type {
  AnswerPage,
  FromWorker,
  HistoryPage,
  HistoryQuery,
  KeptSpan,
  Merged,
  Moment,
  SamplesPage,
  SamplesQuery,
  StoreOptions,
  ToWorker,
} from "./worker-protocol.ts";

const ANSWER_MS = 30_000;
const BACKOFF: BackoffOptions = { firstMs: 1000, maxMs: 60_000 };

type Report = Extract<FromWorker, { kind: "taken" | "health" }>;

export interface WorkerClientOptions {
  /** See `historyWorker`. */
  source: string | URL;
  store: StoreOptions;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  onReport: (report: Report) => void;
  /** Called when a worker died, with everything it had not written. */
  onDeath: () => void;
  /** Called when a worker began, before anything else is sent. */
  onStart?: () => void;
}

interface PendingQuery {
  resolve: (page: AnswerPage) => void;
  reject: (error: HubError) => void;
  timer: Timer;
}

export class WorkerClient {
  readonly #options: WorkerClientOptions;
  readonly #pending = new Map<number, PendingQuery>();
  readonly #backoff;
  readonly #closed = Promise.withResolvers<void>();
  #lastId = 0;
  #worker: Worker | undefined;
  #problem: string | undefined;
  #restart: Timer | undefined;
  #closing = false;

  constructor(options: WorkerClientOptions) {
    this.#options = options;
    this.#backoff = createBackoff(BACKOFF, options.random);
  }

  /** Why there is no worker now. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    const worker = new Worker(this.#options.source, { smol: true });
    let why = "it ended";
    this.#worker = worker;
    worker.unref();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) => {
      why = event.message;
    };
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#died(why);
    });
    this.send({ kind: "open", at: this.#moment(), options: this.#options.store });
    this.#options.onStart?.();
  }

  /** False where there is no worker: nothing was sent. */
  send(message: ToWorker): boolean {
    this.#worker?.postMessage(message);
    return this.#worker !== undefined;
  }

  query(query: HistoryQuery): Promise<HistoryPage> {
    return this.#ask((id) => ({ kind: "query", at: this.#moment(), id, query }));
  }

  samples(query: SamplesQuery): Promise<SamplesPage> {
    return this.#ask((id) => ({ kind: "samples", at: this.#moment(), id, query }));
  }

  kept(): Promise<KeptSpan> {
    return this.#ask((id) => ({ kind: "kept", at: this.#moment(), id }));
  }

  merge(series: string): Promise<Merged> {
    return this.#ask((id) => ({ kind: "merge", at: this.#moment(), id, series }));
  }

  /** Each kind of question has its own kind of answer. */
  #ask<T>(questionOf: (id: number) => ToWorker): Promise<T> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<T>();
    const timedOut = new HubError("unavailable", "the history is busy and did not answer in time; try again");
    const timer = this.#options.clock.after("history-answer", ANSWER_MS, () => this.#take(id)?.reject(timedOut));
    this.#pending.set(id, { resolve: (page) => answer.resolve(page as T), reject: answer.reject, timer });
    if (!this.send(questionOf(id)))
      this.#take(id)?.reject(new HubError("unavailable", this.#problem ?? "the history is not running"));
    return answer.promise;
  }

  /** Resolves when the store is closed, or at once where there is no worker. */
  close(): Promise<void> {
    this.#stopRestarting();
    if (!this.send({ kind: "close", at: this.#moment() })) this.#closed.resolve();
    return this.#closed.promise;
  }

  /** Ends the worker, whatever it is doing. */
  terminate(): void {
    this.#stopRestarting();
    this.#worker?.terminate();
  }

  #stopRestarting(): void {
    this.#closing = true;
    this.#restart?.[Symbol.dispose]();
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { now: clock.now(), mono: clock.mono() };
  }

  #died(why: string): void {
    const { clock, log, onDeath } = this.#options;
    this.#worker = undefined;
    for (const id of [...this.#pending.keys()])
      this.#take(id)?.reject(new HubError("unavailable", "the history is restarting"));
    this.#closed.resolve();
    if (this.#closing) return;
    const pauseMs = this.#backoff.next();
    this.#problem = "the history's worker died and will be restarted";
    log.error(this.#problem, { error: why, in_ms: pauseMs });
    onDeath();
    this.#restart = clock.after("history-restart", pauseMs, () => this.start());
  }

  #take(id: number): PendingQuery | undefined {
    const query = this.#pending.get(id);
    this.#pending.delete(id);
    query?.timer[Symbol.dispose]();
    return query;
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case "answer":
        this.#take(message.id)?.resolve(message.page);
        break;
      case "refusal": {
        const { id, code, message: text, details } = message;
        this.#take(id)?.reject(new HubError(code, text, { details }));
        break;
      }
      case "log":
        this.#options.log[message.level](message.message, message.fields);
        break;
      case "closed":
        this.#closed.resolve();
        break;
      case "health":
        this.#problem = undefined;
        this.#backoff.reset();
        this.#options.onReport(message);
        break;
      case "taken":
        this.#options.onReport(message);
    }
  }
}

/**
 * The worker's code, for `new Worker(…)`. In the executable a worker is an entry point of its own (see build.ts), named by its
 * path under `src/`; the URL of this file would be the one on the machine that built it.
 */
export function historyWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./house/history/worker.ts" : new URL("./worker.ts", import.meta.url);
}
