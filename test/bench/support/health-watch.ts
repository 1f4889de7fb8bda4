// Asks for /health again and again while something else is done to the hub, as a watchdog and as a neighbour would.
import { askHealth } from "../../../src/server/system/upgrade/ask-health.ts";

export interface HealthWatch extends Disposable {
  /** Milliseconds of every answer that came. */
  readonly spans: readonly number[];
  /** Questions that were not answered in time. */
  readonly missed: number;
}

export interface HealthWatchOptions {
  port: number;
  everyMs: number;
  withinMs: number;
}

/** One question at a time, on a connection of its own each. */
export function watchHealth({ port, everyMs, withinMs }: HealthWatchOptions): HealthWatch {
  const spans: number[] = [];
  let missed = 0;
  let ended = false;
  async function ask(): Promise<void> {
    while (!ended) {
      const begun = performance.now();
      const health = await askHealth({ host: "127.0.0.1", port, tls: false }, withinMs);
      if (ended) return;
      if (health) spans.push(performance.now() - begun);
      else missed++;
      await Bun.sleep(Math.max(1, everyMs - (performance.now() - begun)));
    }
  }
  void ask();
  return {
    spans,
    get missed() {
      return missed;
    },
    [Symbol.dispose]() {
      ended = true;
    },
  };
}
