// Whether this process may still act outside of itself. Where two machines share a house, only one of them may.

export interface Fence {
  /** Why it is closed, as a sentence; undefined while it is open. Found out anew each time: asked at the very moment of acting. */
  readonly closed: string | undefined;
  /** Throws HubError `unavailable` where it is closed. */
  assertOpen(): void;
}

export interface HubFence extends Fence {
  /** For good: the hub steps down. */
  close(reason: string): void;
  /** Until it is disposed of. */
  suspend(reason: string): Disposable;
}
