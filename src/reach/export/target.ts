// Where points go: a format with its service. A new one is a file here, and a line in `openTarget`.
import type { Point } from "./points.ts";

export interface Target extends AsyncDisposable {
  /** Resolves once the service has them, or has refused some of them for good. Throws SendFailure. */
  send(points: readonly Point[], signal: AbortSignal): Promise<Sent>;
}

export interface Sent {
  /** Points that the service refused while it took the others, and why. */
  refused: number;
  why?: string;
}

/**
 * Why nothing was taken. `later`: it is away or busy. `setup`: a person must mend something; `message` says what. `content`:
 * something in this batch is wrong, so parts of it may be taken.
 */
export type FailureKind = "later" | "setup" | "content";

export class SendFailure extends Error {
  readonly kind: FailureKind;
  /** What the service asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, message: string, { retryAfterMs }: { retryAfterMs?: number | undefined } = {}) {
    super(message);
    this.name = "SendFailure";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export const ALL_TAKEN: Sent = { refused: 0 };
