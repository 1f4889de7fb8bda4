// Right and wrong, with all that was wrong.

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
    else {
      this.#wrong++;
      this.#failures.push(failure());
    }
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
