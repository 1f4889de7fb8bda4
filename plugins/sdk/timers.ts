// Timers of a plugin: errors are logged, and a run never starts before the one before has ended.
import { messageOf } from "./json.ts";
import type { Log } from "./log.ts";

export interface Timers {
  every(ms: number, work: () => unknown): Disposable;
  after(ms: number, work: () => unknown): Disposable;
  clear(): void;
}

export function createTimers(log: Log): Timers {
  const running = new Set<Disposable>();

  function withoutOverlap(work: () => unknown): () => void {
    let busy = false;
    async function run(): Promise<void> {
      if (busy) return;
      busy = true;
      try {
        await work();
      } catch (error) {
        log.error("repeated work failed", { error: messageOf(error) });
      } finally {
        busy = false;
      }
    }
    return () => void run();
  }

  function keep(stop: () => void): Disposable {
    const timer: Disposable = {
      [Symbol.dispose]() {
        stop();
        running.delete(timer);
      },
    };
    running.add(timer);
    return timer;
  }

  return {
    every(ms, work) {
      const handle = setInterval(withoutOverlap(work), ms);
      return keep(() => clearInterval(handle));
    },
    after(ms, work) {
      const run = withoutOverlap(work);
      const handle = setTimeout(() => {
        timer[Symbol.dispose]();
        run();
      }, ms);
      const timer = keep(() => clearTimeout(handle));
      return timer;
    },
    clear() {
      for (const timer of running) timer[Symbol.dispose]();
    },
  };
}
