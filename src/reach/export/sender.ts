// Gets a batch to its target: a part that is refused for what is in it is looked for by halving, and left out, so that it does
// not keep back the rest.
import type { Fence } from "../../kit/lifecycle/fence.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Point } from "./points.ts";
import { SendFailure, type Target } from "./target.ts";

export interface Delivered {
  sent: number;
  dropped: number;
}

export interface Sender {
  /** Throws SendFailure `later` or `setup`: then some may have been taken, and all are to be sent again. */
  send(points: readonly Point[], stop: AbortSignal): Promise<Delivered>;
}

export interface SenderOptions {
  target: Pick<Target, "send">;
  clock: Pick<Clock, "after" | "mono">;
  log: Log;
  /** Once it is closed, nothing is sent. */
  fence?: Fence | undefined;
}

/** For each message. */
export const ANSWER_MS = 30_000;
/** What was refused is not tried again for so long. */
const REFUSED_MS = 3_600_000;
const MAX_REFUSED = 1000;
/** Above this, what is left of a batch that is refused is dropped as a whole. */
const MAX_MESSAGES = 400;

export function createSender({ target, clock, log, fence }: SenderOptions): Sender {
  /** Attributes with the kind of value that was refused, and until when. */
  const refused = new Map<string, number>();

  function refuse(point: Point, why: string): void {
    if (refused.size < MAX_REFUSED) refused.set(keyOf(point), clock.mono() + REFUSED_MS);
    const { device, attribute, kind, value } = point;
    const shown = String(value).slice(0, 100);
    log.warn("a value is refused and dropped; such values of this attribute are left out for an hour", {
      ...{ device, attribute, kind, value: shown, why },
    });
  }

  function isRefused(point: Point): boolean {
    if (refused.size === 0) return false;
    const until = refused.get(keyOf(point));
    if (until !== undefined && until <= clock.mono()) refused.delete(keyOf(point));
    return refused.has(keyOf(point));
  }

  async function once(points: readonly Point[], stop: AbortSignal): Promise<number> {
    fence?.assertOpen();
    const timeout = new AbortController();
    const timer = clock.after("export-answer", ANSWER_MS, () =>
      timeout.abort(new SendFailure("later", `it does not answer within ${ANSWER_MS / 1000} seconds`)),
    );
    try {
      const { refused: count, why } = await target.send(points, AbortSignal.any([stop, timeout.signal]));
      if (count > 0) log.warn("some values are refused and dropped", { count, why });
      return count;
    } finally {
      timer[Symbol.dispose]();
    }
  }

  return {
    async send(points, stop) {
      let messages = 0;
      const dropped = { count: 0 };

      async function deliver(some: readonly Point[]): Promise<void> {
        const wanted = some.filter((point) => !isRefused(point));
        dropped.count += some.length - wanted.length;
        if (wanted.length === 0) return;
        messages++;
        try {
          dropped.count += await once(wanted, stop);
        } catch (error) {
          if (!(error instanceof SendFailure) || error.kind !== "content") throw error;
          await narrow(wanted, error.message);
        }
      }

      async function narrow(wanted: readonly Point[], why: string): Promise<void> {
        const [first] = wanted;
        if (first && wanted.length === 1) refuse(first, why);
        if (messages >= MAX_MESSAGES)
          log.warn("too much of a batch is refused; what is left of it is dropped", { count: wanted.length, why });
        if (wanted.length === 1 || messages >= MAX_MESSAGES) {
          dropped.count += wanted.length;
          return;
        }
        const middle = wanted.length >> 1;
        await deliver(wanted.slice(0, middle));
        await deliver(wanted.slice(middle));
      }

      await deliver(points);
      return { sent: points.length - dropped.count, dropped: dropped.count };
    },
  };
}

function keyOf({ device, attribute, kind }: Point): string {
  return `${device}\0${attribute}\0${kind}`;
}
