// What the hub says by itself to devices: that it is there, and that it goes. Some announce themselves only then.
import type { Clock, Timer } from "../../kit/time/clock.ts";
import type { Outgoing } from "./described.ts";
import type { Source } from "./source.ts";

// By then those have come back that were cut off while the hub restarted.
const REPEAT_MS = 15_000;

export class BirthAndWill {
  readonly #sources: readonly Source[];
  readonly #clock: Clock;
  readonly #publish: (outgoing: Outgoing) => Promise<void>;
  #again: Timer | undefined;
  #isOver = false;

  /** `publish` never rejects. */
  constructor(sources: readonly Source[], clock: Clock, publish: (outgoing: Outgoing) => Promise<void>) {
    this.#sources = sources;
    this.#clock = clock;
    this.#publish = publish;
  }

  /** Nothing where the hub goes already. */
  begin(): void {
    if (this.#isOver) return;
    this.#publishBirth();
    this.#again?.[Symbol.dispose]();
    this.#again = this.#clock.after("discovery birth", REPEAT_MS, () => this.#publishBirth());
  }

  /** Resolves when it is said, or at once where nobody would receive it. */
  async end(isConnected: boolean): Promise<void> {
    this.#isOver = true;
    this.#again?.[Symbol.dispose]();
    if (isConnected) await Promise.all(this.#sources.flatMap((source) => source.will?.() ?? []).map(this.#publish));
  }

  #publishBirth(): void {
    for (const outgoing of this.#sources.flatMap((source) => source.birth?.() ?? [])) void this.#publish(outgoing);
  }
}
