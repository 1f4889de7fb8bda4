// What was read from the database a moment ago: a reading takes longer than the rest of a request's check.
import type { Clock } from "../../kit/time/clock.ts";

/** Another process (`hub passwd`) may change a row, so what was read is used for this long only. */
const ROW_CACHE_MS = 20;

export class RowCache<T> {
  readonly #clock: Pick<Clock, "mono">;
  readonly #read: (id: string) => T;
  readonly #rows = new Map<string, T>();
  #since = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "mono">, read: (id: string) => T) {
    this.#clock = clock;
    this.#read = read;
  }

  get(id: string): T {
    const now = this.#clock.mono();
    if (now - this.#since > ROW_CACHE_MS) {
      this.#rows.clear();
      this.#since = now;
    }
    const known = this.#rows.get(id);
    if (known !== undefined || this.#rows.has(id)) return known as T;
    const row = this.#read(id);
    this.#rows.set(id, row);
    return row;
  }

  /** To be called after this process changed what is cached. */
  clear(): void {
    this.#rows.clear();
  }
}
