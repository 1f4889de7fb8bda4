// Data of the hub that a view keeps fresh while it is open: read at once, after events that concern it, and now and then,
// because not every change has an event.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api.ts";
import { connection, type HubEvent, listen } from "./live.ts";

export interface Watched<T> {
  data: T | undefined;
  /** Why the last reading failed; `data` is that of the one before. */
  error: unknown;
  reload: () => Promise<void>;
}

interface WatchOptions {
  /** Ms between two readings without an event. */
  every: number;
  concerns: (event: HubEvent) => boolean;
}

// Many events in a row are one reading.
const SETTLE_MS = 150;

/** Reads anew where `key` changes; undefined: nothing is read. */
export function useWatched<T>(
  key: string | undefined,
  read: () => Promise<T>,
  { every, concerns }: WatchOptions,
): Watched<T> {
  const [state, setState] = useState<{ key: string | undefined; data?: T; error?: unknown }>({ key });
  const reading = useRef<() => Promise<void>>(async () => {});
  const isLive = connection.value.state === "live";

  const latest = useRef({ read, concerns });
  latest.current = { read, concerns };

  useEffect(() => {
    if (key === undefined) return;
    let over = false;
    let soon: ReturnType<typeof setTimeout> | undefined;
    let running: Promise<void> | undefined;
    let again = false;

    async function readOnce(): Promise<void> {
      try {
        const data = await latest.current.read();
        if (!over) setState({ key, data });
      } catch (error) {
        if (!over) setState((before) => ({ ...before, key, error }));
      }
    }
    /** One at a time; what was asked for meanwhile is read after it. */
    async function load(): Promise<void> {
      if (running !== undefined) {
        again = true;
        return running;
      }
      running = readOnce();
      await running;
      running = undefined;
      if (!again || over) return;
      again = false;
      await load();
    }
    reading.current = load;
    void load();
    const stop = listen((event) => {
      if (!latest.current.concerns(event) || soon !== undefined) return;
      soon = setTimeout(() => {
        soon = undefined;
        void load();
      }, SETTLE_MS);
    });
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), every);
    return () => {
      over = true;
      stop();
      clearTimeout(soon);
      clearInterval(timer);
    };
    // What was missed while the hub could not be reached is read when it can be.
  }, [key, every, isLive]);

  const isOfKey = state.key === key;
  return {
    data: isOfKey ? state.data : undefined,
    error: isOfKey ? state.error : undefined,
    reload: () => reading.current(),
  };
}

// Data of the hub that a view shows, by its address: kept fresh by events of some types.
export interface HubData<T> {
  /** Undefined until it was read. */
  value: T | undefined;
  /** Why it could not be read the last time. */
  problem: unknown;
  read: () => Promise<void>;
}

interface Watching {
  /** Types of the events after which it may be another; those that end in `_` are beginnings. */
  after: readonly string[];
  everyMs?: number;
}

const EVERY_MS = 30_000;

/** `path` undefined: nothing is read. */
export function useHubData<T>(path: string | undefined, { after, everyMs = EVERY_MS }: Watching): HubData<T> {
  const { data, error, reload } = useWatched(path, () => get<T>(path ?? ""), {
    every: everyMs,
    concerns: ({ type }) => after.some((one) => (one.endsWith("_") ? type.startsWith(one) : type === one)),
  });
  return { value: data, problem: error, read: reload };
}

// Asking the hub about what somebody is typing.
interface Asking<T> {
  /** Undefined: there is nothing to ask now. */
  ask: (() => Promise<T>) | undefined;
  onAnswer: (answer: T) => void;
  onFailure: (error: unknown) => void;
  afterMs: number;
}

/**
 * Asks once `about` has stayed the same for a moment. Only the last question counts: the answer to an earlier one may come after
 * it, and would say what is no longer so.
 */
export function useAskSoon<T>({ ask, onAnswer, onFailure, afterMs }: Asking<T>, about: readonly unknown[]): void {
  useEffect(() => {
    if (!ask) return;
    let isLast = true;
    const timer = setTimeout(() => {
      ask().then(
        (answer) => isLast && onAnswer(answer),
        (error: unknown) => isLast && onFailure(error),
      );
    }, afterMs);
    return () => {
      isLast = false;
      clearTimeout(timer);
    };
  }, about);
}
