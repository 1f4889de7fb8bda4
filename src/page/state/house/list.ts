// Lists of the hub that change seldom: read when they are first needed and whenever the connection is live again.
import { effect, type Signal, signal } from "@preact/signals";
import { get } from "../hub/api.ts";
import { connection, type HubEvent, listen } from "../hub/live.ts";
import { viewsOf } from "../hub/session.ts";

export interface HubList<T> {
  readonly value: Signal<T>;
  /** Why it could not be read the last time. */
  readonly problem: Signal<unknown>;
  /** Keeps it read from now on. */
  start(): void;
  read(): Promise<void>;
}

const TOGETHER_MS = 500;

/** `changes`: whether an event says that the list is another one. */
export function hubList<T>(path: string, empty: T, changes: (event: HubEvent) => boolean = () => false): HubList<T> {
  const value = signal(empty);
  const problem = signal<unknown>(undefined);
  let isStarted = false;
  let soon: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    try {
      value.value = await get<T>(path);
      problem.value = undefined;
    } catch (error) {
      problem.value = error;
    }
  }

  function readSoon(): void {
    if (soon !== undefined) return;
    soon = setTimeout(() => {
      soon = undefined;
      void read();
    }, TOGETHER_MS);
  }

  return {
    value,
    problem,
    read,
    start() {
      if (isStarted) return;
      isStarted = true;
      effect(() => {
        if (connection.value.state === "live") void read();
      });
      listen((event) => {
        if (changes(event)) readSoon();
      });
      // Also where somebody else signs in; but not where the session only expires, as the views stay then.
      viewsOf.subscribe(() => {
        value.value = empty;
      });
    },
  };
}
