// Much work in small turns, so that nothing else waits for it.
import type { Clock } from "../../../core/clock.ts";

const AT_ONCE = 20;
const LONGEST_MS = 8;

export class TurnTaking {
  readonly #clock: Clock;
  readonly #name: string;
  #waiting: (() => void)[] = [];
  #isBusy = false;

  /** `name`: of its timer. */
  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** After what is waiting. The jobs must not throw. */
  add(jobs: readonly (() => void)[]): void {
    this.#waiting.push(...jobs);
    if (!this.#isBusy) this.#turn();
  }

  /** In place of what is waiting. */
  replace(jobs: readonly (() => void)[]): void {
    this.#waiting = [];
    this.add(jobs);
  }

  #turn(): void {
    this.#isBusy = true;
    const end = this.#clock.mono() + LONGEST_MS;
    for (let done = 0; done < AT_ONCE && (done === 0 || this.#clock.mono() < end); done++) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#clock.after(this.#name, 0, () => this.#turn());
    else this.#isBusy = false;
  }
}
