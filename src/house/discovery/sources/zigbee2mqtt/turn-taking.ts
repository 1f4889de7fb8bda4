// Much work in small turns, so that nothing else waits for it.
import type { Clock } from "../../../../kit/time/clock.ts";

const AT_ONCE = 20;
const MAX_MS = 8;

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

  /** After what is waiting; a few jobs are done at once. They must not throw. */
  add(jobs: readonly (() => void)[]): void {
    this.#waiting.push(...jobs);
    if (this.#isBusy) return;
    this.#isBusy = true;
    if (jobs.length > AT_ONCE) this.#soon();
    else this.#turn();
  }

  /** In place of what is waiting. */
  replace(jobs: readonly (() => void)[]): void {
    this.#waiting = [];
    this.add(jobs);
  }

  #turn(): void {
    const end = this.#clock.mono() + MAX_MS;
    for (let done = 0; done < AT_ONCE && (done === 0 || this.#clock.mono() < end); done++) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#soon();
    else this.#isBusy = false;
  }

  #soon(): void {
    this.#clock.after(this.#name, 0, () => this.#turn());
  }
}
