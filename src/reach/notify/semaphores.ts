// Semaphores by name: some services limit concurrent connections over all channels that use them.
import { HubError } from "../../kit/schema/errors.ts";

export interface Semaphores {
  /** Waits until fewer than `limit` hold the semaphore of this name; disposing releases it. Rejects when the signal aborts. */
  acquire(name: string, limit: number, signal: AbortSignal): Promise<Disposable>;
}

export function createSemaphores(): Semaphores {
  const holders = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  function take(name: string): Disposable {
    holders.set(name, (holders.get(name) ?? 0) + 1);
    let held = true;
    return {
      [Symbol.dispose]() {
        if (!held) return;
        held = false;
        holders.set(name, (holders.get(name) ?? 1) - 1);
        waiting.get(name)?.shift()?.();
      },
    };
  }

  function released(name: string, signal: AbortSignal): Promise<void> {
    const queue = waiting.get(name) ?? [];
    waiting.set(name, queue);
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener("abort", cancel);
        resolve();
      };
      const cancel = (): void => {
        const index = queue.indexOf(wake);
        if (index >= 0) queue.splice(index, 1);
        reject(new HubError("unavailable", "cancelled while it waited for a free connection"));
      };
      if (signal.aborted) return cancel();
      queue.push(wake);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  return {
    async acquire(name, limit, signal) {
      // Checked again after waking: another caller may have taken it in between.
      while ((holders.get(name) ?? 0) >= limit) await released(name, signal);
      return take(name);
    },
  };
}
