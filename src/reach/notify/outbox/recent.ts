// Texts that were seen within the last while, as many as memory allows.
import type { Clock } from "../../../kit/time/clock.ts";

export class Recent {
  readonly #clock: Pick<Clock, "mono">;
  readonly #forMs: number;
  readonly #most: number;
  /** When each was seen, by the monotonic clock; the longest ago first. */
  readonly #seen = new Map<string, number>();

  /** Beyond `most`, what was seen the longest ago is forgotten. */
  constructor(clock: Pick<Clock, "mono">, forMs: number, most: number) {
    this.#clock = clock;
    this.#forMs = forMs;
    this.#most = most;
  }

  has(text: string): boolean {
    const at = this.#seen.get(text);
    return at !== undefined && this.#clock.mono() - at < this.#forMs;
  }

  add(text: string): void {
    const now = this.#clock.mono();
    this.#seen.delete(text);
    this.#seen.set(text, now);
    for (const [other, at] of this.#seen) {
      if (this.#seen.size <= this.#most && now - at < this.#forMs) break;
      this.#seen.delete(other);
    }
  }
}
