// What becomes of a command after the hub has sent it: a device that answers at once, or whose side refuses it at once, is received before
// the other side gets the outcome.

/** The hub, or the device's side, refuses a command. `status`: of HTTP. */
export class HubRefusal extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Long enough for a refusal by a program on this machine or nearby; a radio's takes seconds, and nobody waits so long at a switch. */
const ANSWER_WITHIN_MS = 200;
const CONFLICT = 409;

interface Waiting {
  failures: Map<string, string>;
  settle: () => void;
}

export interface Answers {
  /** The device has reported something. */
  reported(deviceId: string): void;
  /** A command has come to nothing. */
  failed(deviceId: string, correlationId: string, why: string): void;
  /** Runs `send`, which resolves with the command's correlation id; throws HubRefusal where its failure is received soon after. */
  after(deviceId: string, send: () => Promise<string>): Promise<void>;
}

export function createAnswers(sleep: (ms: number) => Promise<void> = Bun.sleep): Answers {
  const waiting = new Map<string, Set<Waiting>>();
  const of = (deviceId: string): Iterable<Waiting> => waiting.get(deviceId) ?? [];
  return {
    reported(deviceId) {
      for (const one of of(deviceId)) one.settle();
    },
    failed(deviceId, correlationId, why) {
      for (const one of of(deviceId)) {
        one.failures.set(correlationId, why);
        one.settle();
      }
    },
    async after(deviceId, send) {
      const { promise: answered, resolve: settle } = Promise.withResolvers<void>();
      const one: Waiting = { failures: new Map(), settle };
      const ofDevice = waiting.get(deviceId) ?? new Set();
      waiting.set(deviceId, ofDevice.add(one));
      try {
        const correlationId = await send();
        await Promise.race([answered, sleep(ANSWER_WITHIN_MS)]);
        const why = one.failures.get(correlationId);
        if (why !== undefined) throw new HubRefusal(why, CONFLICT);
      } finally {
        ofDevice.delete(one);
        if (ofDevice.size === 0) waiting.delete(deviceId);
      }
    },
  };
}
