// The newest picture of each device and kind in memory, bounded in bytes: those that came last stay.
import type { Shot } from "./picture.ts";

const MAX_BYTES = 32 * 1_048_576;
const MOST = 2000;

export class Newest {
  readonly #shots = new Map<string, Shot>();
  #bytes = 0;

  get(key: string): Shot | undefined {
    return this.#shots.get(key);
  }

  set(key: string, shot: Shot): void {
    this.delete(key);
    this.#shots.set(key, shot);
    this.#bytes += shot.size;
    for (const oldest of this.#shots.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#shots.size <= MOST) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#shots.get(key)?.size ?? 0;
    this.#shots.delete(key);
  }

  /** Those whose keys begin so. */
  *of(start: string): Iterable<Shot> {
    for (const [key, shot] of this.#shots) if (key.startsWith(start)) yield shot;
  }

  keys(): Iterable<string> {
    return this.#shots.keys();
  }
}
