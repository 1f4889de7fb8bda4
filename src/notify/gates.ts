// Gates with a number of places, by name: some services count connections over all channels that use them.
import { HubError } from "../core/errors.ts";

export interface Gates {
  /** Waits for one of the `places` at the gate of this name; disposing gives it back. Rejects when the signal aborts. */
  enter(name: string, places: number, signal: AbortSignal): Promise<Disposable>;
}

export function createGates(): Gates {
  const taken = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  function take(name: string): Disposable {
    taken.set(name, (taken.get(name) ?? 0) + 1);
    let mine = true;
    return {
      [Symbol.dispose]() {
        if (!mine) return;
        mine = false;
        taken.set(name, (taken.get(name) ?? 1) - 1);
        waiting.get(name)?.shift()?.();
      },
    };
  }

  return {
    async enter(name, places, signal) {
      // Asked again after waking: somebody who did not wait may have been faster.
      while ((taken.get(name) ?? 0) >= places) await turn(name, signal);
      return take(name);
    },
  };

  function turn(name: string, signal: AbortSignal): Promise<void> {
    const queue = waiting.get(name) ?? [];
    waiting.set(name, queue);
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const index = queue.indexOf(wake);
        if (index >= 0) queue.splice(index, 1);
        reject(new HubError("unavailable", "gave up waiting for its turn"));
      };
      if (signal.aborted) return leave();
      queue.push(wake);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
