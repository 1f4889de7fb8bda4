// Right and wrong, with what was wrong.

/** Lines of them; the head has the number of all. */
const MAX_FAILURES = 300;

export class Counts {
  readonly #name: string;
  #right = 0;
  #wrong = 0;
  readonly #failures: string[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  add(isRight: boolean, failure: () => string): void {
    if (isRight) this.#right++;
    else if (++this.#wrong <= MAX_FAILURES) this.#failures.push(failure());
  }

  /** The line for a reader, and whether at least `share` of all were right. */
  result(share: number): { lines: string[]; ok: boolean } {
    const all = this.#right + this.#wrong;
    const ok = all > 0 && this.#right >= all * share;
    const percent = all === 0 ? "none" : `${((this.#right / all) * 100).toFixed(3)} %`;
    const head = `${ok ? "ok" : "FAIL"} ${this.#name}: ${this.#right} of ${all} right (${percent}, at least ${share * 100} %)`;
    return { ok, lines: [head, ...this.#failures.map((one) => `   ${one}`)] };
  }
}
