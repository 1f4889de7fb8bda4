// The thread that answers a standby, as the main thread sees it: started by the first question, and ended a minute after the last.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { HistoryRequest, SyncRequest } from "../protocol.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import type { SyncAnswer, Turn, Urgency } from "./source.ts";

export interface SourceClientOptions {
  /** See `sourceWorker`. */
  worker: string | URL;
  home: Pick<Home, "root">;
  /** Of this hub. */
  version: string;
  clock: Clock;
  log: Pick<Log, "warn">;
  /** People wait for its answers: see `[standby] acknowledge`. */
  isUrgent?: boolean;
}

/** Rejects with HubError: `storage` where a file cannot be read, `too_large`, `unavailable` where it takes too long or is closed. */
export interface SourceClient extends AsyncDisposable {
  sync(request: SyncRequest, turn: Turn, urgency?: Urgency): Promise<SyncAnswer>;
  history(request: HistoryRequest): Promise<Uint8Array<ArrayBuffer>>;
}

const IDLE_MS = 60_000;
const ANSWER_MS = 120_000;
const CLOSE_MS = 5000;

/** For `new Worker(…)`: beside this file, or an entry point of its own in the executable, named by its path under `src/`. */
export function sourceWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/")
    ? "./copies/standby/source/worker.ts"
    : new URL("./worker.ts", import.meta.url);
}

export function createSourceClient(options: SourceClientOptions): SourceClient {
  const { clock } = options;
  let thread: Thread | undefined;
  let idle: Timer | undefined;
  let isClosed = false;
  const ending = new Set<Promise<void>>();

  function end(): void {
    idle?.[Symbol.dispose]();
    if (!thread) return;
    const ended = thread.end();
    ending.add(ended);
    void ended.then(() => ending.delete(ended));
    thread = undefined;
  }

  async function ask(question: (id: number) => ToWorker): Promise<SyncAnswer> {
    if (isClosed) throw new HubError("unavailable", "the hub is stopping");
    idle?.[Symbol.dispose]();
    if (!thread || thread.isOver()) thread = startThread(options);
    const asked = thread;
    try {
      return await asked.ask(question);
    } finally {
      idle?.[Symbol.dispose]();
      if (asked === thread) idle = clock.after("standby-source", IDLE_MS, end);
    }
  }

  return {
    sync: (request, turn, urgency = {}) => ask((id) => ({ kind: "sync", id, request, turn, urgency })),
    history: async (request) => (await ask((id) => ({ kind: "history", id, request }))).bytes,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      end();
      await Promise.all(ending);
    },
  };
}

interface Thread {
  ask(question: (id: number) => ToWorker): Promise<SyncAnswer>;
  /** It has failed, and answers nothing any more. */
  isOver(): boolean;
  /** Resolves when it holds no file any more; never rejects. */
  end(): Promise<void>;
}

function startThread({ worker: code, home, version, clock, log, isUrgent = false }: SourceClientOptions): Thread {
  const worker = new Worker(code, { smol: true });
  const pending = new Map<number, PromiseWithResolvers<SyncAnswer>>();
  const closed = Promise.withResolvers<void>();
  let lastId = 0;
  let over: string | undefined;

  function fail(why: string): void {
    over ??= why;
    for (const waiting of pending.values()) waiting.reject(new HubError("unavailable", over));
    pending.clear();
    closed.resolve();
  }
  const send = (message: ToWorker): void => worker.postMessage(message);
  worker.unref();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "closed") closed.resolve();
    else if (data.kind === "log") log.warn(data.message, data.fields);
    else if (data.kind === "answer") pending.get(data.id)?.resolve({ bytes: data.bytes, isLast: data.isLast });
    else pending.get(data.id)?.reject(errorOf(data));
  };
  worker.onerror = ({ message }) => fail(`the thread for the standby failed: ${message}`);
  worker.addEventListener("close", () => fail("the thread for the standby ended"));
  send({ kind: "open", root: home.root, version, isUrgent });

  return {
    isOver: () => over !== undefined,
    async ask(question) {
      const id = ++lastId;
      const answer = Promise.withResolvers<SyncAnswer>();
      pending.set(id, answer);
      using _late = clock.after("standby-answer", ANSWER_MS, () => {
        fail("reading what the standby asked for takes too long");
        worker.terminate();
      });
      send(question(id));
      try {
        return await answer.promise;
      } finally {
        pending.delete(id);
      }
    },
    async end() {
      using _late = clock.after("standby-close", CLOSE_MS, closed.resolve);
      send({ kind: "close" });
      await closed.promise;
      fail("the hub is stopping");
      worker.terminate();
    },
  };
}

function errorOf({ code, message, details }: Extract<FromWorker, { kind: "refusal" }>): Error {
  return code === undefined ? new Error(message) : new HubError(code, message, { details });
}
