// Keeps requests from holding up the event loop. Bun runs all requests it received in one turn of the loop before MQTT, timers
// and the watchdog get theirs: after some milliseconds the others wait for a later turn, in the order they came. What one
// connection sends without waiting for answers (pipelining) is limited, as Bun runs it without a pause.

import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { normalizeAddress } from "../../../kit/text/addresses.ts";
import { refusalOfFlood } from "../errors.ts";
import type { Answer } from "../resources.ts";

interface Peers {
  requestIP(request: Request): { address: string; port: number } | null;
}

export interface RequestTurns {
  /** Answers now or in a later turn; refuses what is pipelined beyond the limit. */
  answer(request: Request, server: Peers, answer: () => Answer): Answer;
}

export interface RequestTurnsOptions {
  maxPipelined: number;
  limits: Limits;
}

const MAX_TURN_MS = 5;
// Answered in any turn but a very long one: Bun closes a connection where a request comes behind one that waits, and short pipelines
// are honest.
const SELDOM_DEFERRED = 16;
const VERY_LONG_TURN_MS = 8;

export function createRequestTurns({ maxPipelined, limits }: RequestTurnsOptions): RequestTurns {
  /** Requests of earlier turns. */
  const waiting: (() => void)[] = [];
  let isScheduled = false;
  let startedAt = 0;
  let requests = 0;
  /** How many requests each connection sent in this turn, since one of them could have reached the limit. */
  const byConnection = new Map<string, number>();

  const isLong = (ms = MAX_TURN_MS): boolean => performance.now() - startedAt > ms;

  function schedule(): void {
    isScheduled = true;
    setImmediate(startTurn);
  }

  function startTurn(): void {
    isScheduled = false;
    requests = 0;
    byConnection.clear();
    if (waiting.length === 0) return;
    schedule();
    startedAt = performance.now();
    do {
      requests++;
      waiting.shift()?.();
    } while (waiting.length > 0 && !isLong());
  }

  function answerLater(answer: () => Answer): Promise<Response> {
    return new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  function refusePipeline(request: Request, address: string): Response {
    limits.reached({
      limit: "[server] max_pipelined_requests",
      account: normalizeAddress(address),
      message: `sent more than ${maxPipelined} requests on one connection without waiting for answers: it was closed`,
    });
    return refusalOfFlood(request, "too many requests at once on this connection", 1);
  }

  return {
    answer(request, server, answer) {
      if (requests++ === 0) startedAt = performance.now();
      if (!isScheduled) schedule();
      if (requests <= SELDOM_DEFERRED && !isLong(VERY_LONG_TURN_MS)) return answer();
      const mayWait = isLong();
      if (!mayWait && requests <= maxPipelined) return answer();
      const peer = server.requestIP(request);
      if (peer === null) return answer();
      const connection = `${peer.port} ${peer.address}`;
      const before = byConnection.get(connection) ?? 0;
      // Where counting begins, it may be in the middle of a pipeline.
      const isFirstOfItsConnection = before === 0 && byConnection.size > 0;
      byConnection.set(connection, before + 1);
      if (before >= maxPipelined) return refusePipeline(request, peer.address);
      return mayWait && isFirstOfItsConnection ? answerLater(answer) : answer();
    },
  };
}
