// Keeps a storm of alike news from filling the log and pushing all else out of the events: the first few in a while are reported one
// by one, the others together.
import type { Clock, Timer } from "../../../kit/time/clock.ts";

/** Something to be reported. */
export interface News<T> {
  readonly about: T;
  /** Further ones like it, for which it stands. */
  readonly more: number;
}

export interface Coalescer<T> extends Disposable {
  /** Reports it now, or with others later. `kind` is one of a few. */
  add(kind: string, news: News<T>): void;
}

const ONE_BY_ONE = 10;
const WINDOW_MS = 60_000;
// A queue of thousands may take hours to drain.
const MAX_WINDOW_MS = 16 * 60_000;

interface Window<T> {
  readonly endsAt: number;
  readonly spanMs: number;
  reported: number;
  unreported: News<T> | undefined;
  timer: Timer | undefined;
}

/** Disposing reports what was not reported yet. */
export function createCoalescer<T>(clock: Clock, report: (news: News<T>) => void): Coalescer<T> {
  const windows = new Map<string, Window<T>>();

  function open(kind: string, spanMs: number, reported: number): Window<T> {
    const window = { endsAt: clock.mono() + spanMs, spanMs, reported, unreported: undefined, timer: undefined };
    windows.set(kind, window);
    return window;
  }

  function openWindow(kind: string): Window<T> {
    const window = windows.get(kind);
    return window && (window.timer || clock.mono() < window.endsAt) ? window : open(kind, WINDOW_MS, 0);
  }

  function close(kind: string, { unreported, spanMs }: Window<T>): void {
    // While the storm lasts, it is reported once in a window.
    open(kind, Math.min(2 * spanMs, MAX_WINDOW_MS), ONE_BY_ONE);
    if (unreported) report(unreported);
  }

  return {
    add(kind, news) {
      const window = openWindow(kind);
      if (window.reported < ONE_BY_ONE) {
        window.reported++;
        report(news);
        return;
      }
      const { unreported } = window;
      window.unreported = unreported ? { ...unreported, more: unreported.more + 1 + news.more } : news;
      const leftMs = Math.max(0, window.endsAt - clock.mono());
      window.timer ??= clock.after("outbox-news", leftMs, () => close(kind, window));
    },
    [Symbol.dispose]() {
      for (const { timer, unreported } of windows.values()) {
        timer?.[Symbol.dispose]();
        if (unreported) report(unreported);
      }
      windows.clear();
    },
  };
}
