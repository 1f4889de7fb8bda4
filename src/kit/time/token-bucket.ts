// A token bucket: so many tokens a second, and a burst of them at once.
import type { Clock } from "./clock.ts";

export interface TokenBucketOptions {
  perSecond: number;
  /** The most there can be, which is there at the start. */
  capacity: number;
  /** An empty bucket is ready again after so many tokens, so that not every single one needs a timer. */
  refill?: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #refill: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, { perSecond, capacity, refill = 1 }: TokenBucketOptions) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#refill = Math.min(refill, capacity);
    this.#tokens = capacity;
    this.#at = clock.mono();
  }

  /** Tokens there are now; below 0 where more were spent. */
  available(): number {
    const now = this.#clock.mono();
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
    return this.#tokens;
  }

  /** Time until it is ready; 0 while there are tokens. */
  waitMs(): number {
    const tokens = this.available();
    return tokens > 0 ? 0 : Math.ceil(((this.#refill - tokens) * 1000) / this.#perSecond);
  }

  spend(tokens: number): void {
    this.#tokens -= tokens;
  }
}
