// The worker's life as the main thread sees it: messages there and back, answers that are waited for, and a new worker
// where one died.
import { type BackoffOptions, createBackoff } from "../core/backoff.ts";
import type { Clock, Timer } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { FromWorker, HistoryPage, HistoryQuery, Moment, StoreOptions, ToWorker } from "./messages.ts";

const ANSWER_MS = 30_000;
const BACKOFF: BackoffOptions = { firstMs: 1000, longestMs: 60_000 };

type Handled = Extract<FromWorker, { kind: "taken" | "health" }>;

export interface Link {
  /** Why there is no worker now. */
  readonly problem: string | undefined;
  /** False where there is no worker: nothing was sent. */
  post(message: ToWorker): boolean;
  query(query: HistoryQuery): Promise<HistoryPage>;
  /** Resolves when the store is closed, or at once where there is no worker. */
  close(): Promise<void>;
  /** Ends the worker, whatever it is doing. */
  end(): void;
}

export interface LinkOptions {
  source: string | URL;
  store: StoreOptions;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  hear: (message: Handled) => void;
  /** Told when a worker died with all it had not written. */
  died: () => void;
}

interface Waiting {
  resolve: (page: HistoryPage) => void;
  reject: (error: HubError) => void;
  timer: Timer;
}

export function startLink({ source, store, clock, log, random, hear, died }: LinkOptions): Link {
  const waiting = new Map<number, Waiting>();
  const backoff = createBackoff(BACKOFF, random);
  const closed = Promise.withResolvers<void>();
  let lastId = 0;
  let worker: Worker | undefined;
  let problem: string | undefined;
  let restart: Timer | undefined;
  let ending = false;

  const moment = (): Moment => ({ now: clock.now(), mono: clock.mono() });

  function begin(): void {
    const mine = new Worker(source, { smol: true });
    let why = "it ended";
    worker = mine;
    mine.unref();
    mine.onmessage = ({ data }: MessageEvent<FromWorker>) => receive(data);
    mine.onerror = (event) => {
      why = event.message;
    };
    mine.addEventListener("close", () => {
      if (worker === mine) lose(why);
    });
    mine.postMessage({ kind: "open", at: moment(), options: store } satisfies ToWorker);
  }

  function lose(why: string): void {
    worker = undefined;
    for (const id of [...waiting.keys()]) settle(id)?.reject(new HubError("unavailable", "the history is restarting"));
    closed.resolve();
    if (ending) return;
    const pauseMs = backoff.next();
    problem = "the history's worker died and is started again";
    log.error(problem, { error: why, in_ms: pauseMs });
    died();
    restart = clock.after("history-restart", pauseMs, begin);
  }

  function settle(id: number): Waiting | undefined {
    const one = waiting.get(id);
    waiting.delete(id);
    one?.timer[Symbol.dispose]();
    return one;
  }

  function receive(message: FromWorker): void {
    switch (message.kind) {
      case "answer":
        settle(message.id)?.resolve(message.page);
        break;
      case "refusal": {
        const { id, code, message: text, details } = message;
        settle(id)?.reject(new HubError(code, text, { details }));
        break;
      }
      case "log":
        log[message.level](message.message, message.fields);
        break;
      case "closed":
        closed.resolve();
        break;
      case "health":
        problem = undefined;
        backoff.reset();
        hear(message);
        break;
      case "taken":
        hear(message);
    }
  }

  function post(message: ToWorker): boolean {
    worker?.postMessage(message);
    return worker !== undefined;
  }

  begin();
  return {
    get problem() {
      return problem;
    },
    post,
    query(query) {
      const id = ++lastId;
      const answer = Promise.withResolvers<HistoryPage>();
      const late = new HubError("unavailable", "the history is busy and did not answer in time; try again");
      const timer = clock.after("history-answer", ANSWER_MS, () => settle(id)?.reject(late));
      waiting.set(id, { ...answer, timer });
      if (!post({ kind: "query", at: moment(), id, query })) {
        settle(id)?.reject(new HubError("unavailable", problem ?? "the history is not running"));
      }
      return answer.promise;
    },
    close() {
      ending = true;
      restart?.[Symbol.dispose]();
      if (!post({ kind: "close", at: moment() })) closed.resolve();
      return closed.promise;
    },
    end() {
      ending = true;
      restart?.[Symbol.dispose]();
      worker?.terminate();
    },
  };
}
