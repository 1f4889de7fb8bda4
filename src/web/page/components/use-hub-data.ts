// Data of the hub that a view shows: read when it opens, when the connection is live again, after events that concern it, and
// now and then, as not every change has an event.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get } from "../state/api.ts";
import { connection, listen } from "../state/live.ts";

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

// A flood of events asks once.
const TOGETHER_MS = 300;
const EVERY_MS = 30_000;

/** `path` undefined: nothing is read. `after` must be the same array each time. */
export function useHubData<T>(path: string | undefined, { after, everyMs = EVERY_MS }: Watching): HubData<T> {
  const [{ value, problem }, set] = useState<{ value?: T; problem?: unknown }>({});
  const latest = useRef(0);
  const isLive = connection.value.state === "live";

  const read = useCallback(async () => {
    if (path === undefined) return;
    const turn = ++latest.current;
    try {
      const value = await get<T>(path);
      if (turn === latest.current) set({ value });
    } catch (problem) {
      if (turn === latest.current) set((before) => ({ ...before, problem }));
    }
  }, [path]);

  useEffect(() => {
    void read();
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = listen(({ type }) => {
      if (soon !== undefined || !after.some((one) => (one.endsWith("_") ? type.startsWith(one) : type === one))) return;
      soon = setTimeout(() => {
        soon = undefined;
        void read();
      }, TOGETHER_MS);
    });
    const now = setInterval(() => document.visibilityState === "visible" && void read(), everyMs);
    return () => {
      latest.current++;
      stop();
      clearTimeout(soon);
      clearInterval(now);
    };
  }, [read, isLive, after, everyMs]);

  return { value, problem, read };
}
