// A typed event bus. An error in one listener is logged and does not affect the publisher or the other listeners.
import { messageOf } from "../schema/errors.ts";
import type { Log } from "./log.ts";

export interface Bus<T extends { type: string }> {
  publish(message: T): void;
  /** Listens to one type, or with "*" to all. Disposing the result stops it. */
  on<K extends T["type"] | "*">(
    type: K,
    name: string,
    listener: (message: K extends "*" ? T : Extract<T, { type: K }>) => void,
  ): Disposable;
}

interface Listener<T> {
  name: string;
  call: (message: T) => void;
}

export function createBus<T extends { type: string }>(log: Log): Bus<T> {
  const listeners = new Map<string, readonly Listener<T>[]>();

  function deliver(to: readonly Listener<T>[] | undefined, message: T): void {
    if (!to) return;
    for (const listener of to) {
      try {
        listener.call(message);
      } catch (error) {
        log.error("a listener failed", { listener: listener.name, event: message.type, error: messageOf(error) });
      }
    }
  }

  return {
    publish(message) {
      deliver(listeners.get(message.type), message);
      deliver(listeners.get("*"), message);
    },
    on(type, name, listener) {
      const entry: Listener<T> = { name, call: listener as (message: T) => void };
      // Copied on change, so that listeners can be added and removed while a message is being delivered.
      listeners.set(type, [...(listeners.get(type) ?? []), entry]);
      return {
        [Symbol.dispose]() {
          const left = (listeners.get(type) ?? []).filter((other) => other !== entry);
          if (left.length > 0) listeners.set(type, left);
          else listeners.delete(type);
        },
      };
    },
  };
}
