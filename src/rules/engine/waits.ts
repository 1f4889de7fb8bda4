// Waits of actions: for a time, for an event, or until an expression is true. The end of the run ends every wait.
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { msSince } from "../../kit/time/durable-moment.ts";
import type { Envelope } from "../../server/events/feed.ts";
import type { EventWanted } from "../model/define.ts";
import type { Wait } from "./runs/position.ts";
import { RunEnded } from "./runs/runs.ts";
import type { Subscriptions } from "./triggering/trigger-index.ts";

/** When a wait ends in any case: `ms` after `since`. */
export type Deadline = Pick<Wait, "since" | "ms">;

interface Within {
  deadline: Deadline;
  signal: AbortSignal;
}

export interface Waits {
  /** The next matching event; undefined after the deadline. */
  forEvent(wanted: Omit<EventWanted, "timeoutMs">, within: Within): Promise<Envelope | undefined>;
  /** Evaluates at every event, and every few seconds, because time alone emits no events. False after the deadline. */
  until(isTrue: () => boolean, within: Within): Promise<boolean>;
  /** True when the time has passed, false if `cancel` was called, which `onBegin` receives. */
  forTime(deadline: Deadline, wait: { signal: AbortSignal; onBegin(cancel: () => void): Disposable }): Promise<boolean>;
  /** To be called for every event of a needed type. */
  onEvent(envelope: Envelope): void;
  /** To be called for every event while "*" is needed. */
  onAnyEvent(): void;
}

interface EventWait {
  wanted: Omit<EventWanted, "timeoutMs">;
  resolve(envelope: Envelope): void;
  reject(error: unknown): void;
}

interface WaitOptions<T> {
  signal: AbortSignal;
  /** The result after the deadline. */
  timeoutResult: T;
  deadline: Deadline;
}

export interface WaitsOptions {
  clock: Clock;
  subscriptions: Pick<Subscriptions, "need">;
}

interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

const EVALUATE_EVERY_MS = 5000;
// The clock of a Raspberry Pi is set some time after the start, so a wait from before it must be checked again and again.
const CHECK_RESTORED_MS = 10_000;

export function createWaits({ clock, subscriptions }: WaitsOptions): Waits {
  const byType = new Map<string, Set<EventWait>>();
  const expressions = new Set<() => void>();

  function timer({ since, ms }: Deadline, onDue: () => void): Disposable {
    let current: Timer | undefined;
    const start = (): void => {
      const leftMs = Math.max(0, (ms ?? Number.POSITIVE_INFINITY) - msSince(clock, since));
      const waitMs = since.restored ? Math.min(leftMs, CHECK_RESTORED_MS) : leftMs;
      current = clock.after("rules: wait", waitMs, () => (waitMs < leftMs ? start() : onDue()));
    };
    start();
    return { [Symbol.dispose]: () => current?.[Symbol.dispose]() };
  }

  function wait<T>({ signal, timeoutResult, deadline }: WaitOptions<T>, begin: (settle: Settle<T>) => Disposable[]) {
    if (signal.aborted) return Promise.reject<T>(new RunEnded());
    return new Promise<T>((resolve, reject) => {
      const resources = new DisposableStack();
      const settle: Settle<T> = {
        resolve(value) {
          resources[Symbol.dispose]();
          resolve(value);
        },
        reject(error) {
          resources[Symbol.dispose]();
          reject(error);
        },
      };
      const onAbort = (): void => settle.reject(new RunEnded());
      signal.addEventListener("abort", onAbort);
      resources.defer(() => signal.removeEventListener("abort", onAbort));
      for (const resource of begin(settle)) resources.use(resource);
      if (deadline.ms !== undefined) resources.use(timer(deadline, () => settle.resolve(timeoutResult)));
    });
  }

  function waitFor(type: string, wait: EventWait): Disposable {
    const waiting = byType.get(type) ?? new Set();
    byType.set(type, waiting);
    waiting.add(wait);
    return {
      [Symbol.dispose]() {
        waiting.delete(wait);
        if (waiting.size === 0 && byType.get(type) === waiting) byType.delete(type);
      },
    };
  }

  function watch(isTrue: () => boolean, { resolve, reject }: Settle<boolean>): Disposable {
    const evaluate = (): void => {
      try {
        if (isTrue()) resolve(true);
      } catch (error) {
        reject(error);
      }
    };
    expressions.add(evaluate);
    return { [Symbol.dispose]: () => void expressions.delete(evaluate) };
  }

  return {
    forEvent: (wanted, within) =>
      wait<Envelope | undefined>({ ...within, timeoutResult: undefined }, (settle) => {
        const types = [wanted.event].flat();
        const wait: EventWait = { wanted, ...settle };
        return types.flatMap((type) => [subscriptions.need(type), waitFor(type, wait)]);
      }),
    until: (isTrue, within) =>
      wait<boolean>({ ...within, timeoutResult: false }, (settle) => {
        const watching = watch(isTrue, settle);
        return [
          watching,
          subscriptions.need("*"),
          clock.every("rules: evaluate again", EVALUATE_EVERY_MS, () => evaluateAll(expressions)),
        ];
      }),
    forTime: (deadline, { signal, onBegin }) =>
      wait<boolean>({ deadline, signal, timeoutResult: true }, ({ resolve }) => [onBegin(() => resolve(false))]),
    onEvent(envelope) {
      const waiting = byType.get(envelope.type);
      if (!waiting) return;
      for (const one of [...waiting]) offer(one, envelope);
    },
    onAnyEvent: () => evaluateAll(expressions),
  };
}

function offer({ wanted, resolve, reject }: EventWait, envelope: Envelope): void {
  if (wanted.deviceId !== undefined && wanted.deviceId !== envelope.deviceId) return;
  try {
    if (wanted.matches?.(envelope) ?? true) resolve(envelope);
  } catch (error) {
    reject(error);
  }
}

function evaluateAll(expressions: ReadonlySet<() => void>): void {
  for (const one of [...expressions]) one();
}
