// Waiting inside actions: for time, for an event, for an expression to hold. The end of the run ends every wait.
import type { Clock } from "../../core/clock.ts";
import type { Envelope } from "../../events/feed.ts";
import type { EventWanted } from "../define.ts";
import type { Listening } from "./listening.ts";
import { RunEnded } from "./run-ended.ts";

export interface Waits {
  /** The next event that fits; undefined when the time was over first. */
  forEvent(wanted: EventWanted, signal: AbortSignal): Promise<Envelope | undefined>;
  /** Asked at once, at every event, and every few seconds, because time itself makes no events. */
  until(holds: () => boolean, wait: { timeoutMs: number | undefined; signal: AbortSignal }): Promise<boolean>;
  /** True when the whole time has passed. `onBegin` is handed what cancels it. */
  forTime(ms: number, wait: { signal: AbortSignal; onBegin(cancel: () => void): Disposable }): Promise<boolean>;
  /** An event came whose type somebody listens to. */
  heard(envelope: Envelope): void;
  /** Any event came, while somebody waits for an expression. */
  heardAny(): void;
}

interface EventWait {
  wanted: EventWanted;
  found(envelope: Envelope): void;
  failed(error: unknown): void;
}

interface WaitOptions<T> {
  signal: AbortSignal;
  /** What comes of it when the time is over. */
  whenOver: T;
  timeoutMs: number | undefined;
}

interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

const LOOK_EVERY_MS = 5000;

export function createWaits({ clock, listening }: { clock: Clock; listening: Pick<Listening, "need"> }): Waits {
  const byType = new Map<string, Set<EventWait>>();
  const expressions = new Set<() => void>();

  function wait<T>({ signal, whenOver, timeoutMs }: WaitOptions<T>, begin: (settle: Settle<T>) => Disposable[]) {
    if (signal.aborted) return Promise.reject<T>(new RunEnded());
    return new Promise<T>((resolve, reject) => {
      const parts = new DisposableStack();
      const settle: Settle<T> = {
        resolve(value) {
          parts[Symbol.dispose]();
          resolve(value);
        },
        reject(error) {
          parts[Symbol.dispose]();
          reject(error);
        },
      };
      const onAbort = (): void => settle.reject(new RunEnded());
      signal.addEventListener("abort", onAbort);
      parts.defer(() => signal.removeEventListener("abort", onAbort));
      for (const part of begin(settle)) parts.use(part);
      if (timeoutMs !== undefined) parts.use(clock.after("rules: wait", timeoutMs, () => settle.resolve(whenOver)));
    });
  }

  function waitFor(wanted: EventWanted, { resolve, reject }: Settle<Envelope | undefined>): Disposable {
    const waiting = byType.get(wanted.event) ?? new Set();
    byType.set(wanted.event, waiting);
    const entry: EventWait = { wanted, found: resolve, failed: reject };
    waiting.add(entry);
    return {
      [Symbol.dispose]() {
        waiting.delete(entry);
        if (waiting.size === 0 && byType.get(wanted.event) === waiting) byType.delete(wanted.event);
      },
    };
  }

  function watch(holds: () => boolean, { resolve, reject }: Settle<boolean>): Disposable {
    const look = (): void => {
      try {
        if (holds()) resolve(true);
      } catch (error) {
        reject(error);
      }
    };
    expressions.add(look);
    return { [Symbol.dispose]: () => void expressions.delete(look) };
  }

  return {
    forEvent: (wanted, signal) =>
      wait<Envelope | undefined>({ signal, whenOver: undefined, timeoutMs: wanted.timeoutMs }, (settle) => [
        listening.need(wanted.event),
        waitFor(wanted, settle),
      ]),
    async until(holds, { timeoutMs, signal }) {
      if (holds()) return true;
      return wait<boolean>({ signal, whenOver: false, timeoutMs }, (settle) => {
        const watching = watch(holds, settle);
        return [
          watching,
          listening.need("*"),
          clock.every("rules: look again", LOOK_EVERY_MS, () => look(expressions)),
        ];
      });
    },
    forTime: (ms, { signal, onBegin }) =>
      wait<boolean>({ signal, whenOver: true, timeoutMs: ms }, ({ resolve }) => [onBegin(() => resolve(false))]),
    heard(envelope) {
      const waiting = byType.get(envelope.type);
      if (!waiting) return;
      for (const one of [...waiting]) offer(one, envelope);
    },
    heardAny: () => look(expressions),
  };
}

function offer({ wanted, found, failed }: EventWait, envelope: Envelope): void {
  if (wanted.deviceId !== undefined && wanted.deviceId !== envelope.deviceId) return;
  try {
    if (wanted.fits?.(envelope) ?? true) found(envelope);
  } catch (error) {
    failed(error);
  }
}

function look(expressions: ReadonlySet<() => void>): void {
  for (const one of [...expressions]) one();
}
