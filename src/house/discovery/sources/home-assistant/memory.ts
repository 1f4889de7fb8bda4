// What is kept of a device while its description changes: values that expire, further attributes that it has sent, and which of
// its topics have said that it is there.
import type { JsonObject } from "../../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../../kit/time/clock.ts";
import type { Availability } from "./availability.ts";
import type { KnownExtra } from "./extras.ts";

export interface DeviceMemory extends Disposable {
  readonly expiry: Expiry;
  /** Attributes beside those that are announced, by name. */
  readonly extras: Map<string, KnownExtra>;
  /** Values of those whose name is given only when they are described. */
  undescribed: JsonObject;
  /** By their options, as text. */
  availabilities: Map<string, Availability>;
  /** On which its description before was read. */
  topics: ReadonlySet<string>;
}

/** `report`: what is known without a message. */
export function createDeviceMemory(clock: Clock, report: (attributes: JsonObject) => void): DeviceMemory {
  const expiry = new Expiry(clock, report);
  return {
    ...{ expiry, extras: new Map(), undescribed: {}, availabilities: new Map(), topics: new Set<string>() },
    [Symbol.dispose]: () => expiry[Symbol.dispose](),
  };
}

interface Due {
  name: string;
  /** It, and what is made of it. */
  values: JsonObject;
  /** Monotonic ms. */
  at: number;
}

/** Values that are others after a while without a message. One timer, whatever their number. */
export class Expiry implements Disposable {
  readonly #clock: Clock;
  readonly #report: (attributes: JsonObject) => void;
  readonly #due = new Map<string, Due>();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, report: (attributes: JsonObject) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** `what` in place of what was to happen under the same key. */
  after(ms: number, key: string, what: { name: string; values: JsonObject }): void {
    const at = this.#clock.mono() + ms;
    this.#due.set(key, { ...what, at });
    if (at < this.#timerAt) this.#wait(at);
  }

  cancel(key: string): void {
    this.#due.delete(key);
  }

  /** Forgets those of attributes that are no more. */
  keep(names: ReadonlySet<string>): void {
    for (const [key, { name }] of this.#due) if (!names.has(name)) this.#due.delete(key);
  }

  [Symbol.dispose](): void {
    this.#due.clear();
    this.#wait(Number.POSITIVE_INFINITY);
  }

  #wait(at: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    this.#timer = Number.isFinite(at)
      ? this.#clock.after("home assistant expiry", at - this.#clock.mono(), () => this.#expire())
      : undefined;
  }

  #expire(): void {
    const now = this.#clock.mono();
    const expired: JsonObject = {};
    let next = Number.POSITIVE_INFINITY;
    for (const [key, { values, at }] of this.#due) {
      if (at > now) next = Math.min(next, at);
      else {
        this.#due.delete(key);
        Object.assign(expired, values);
      }
    }
    this.#wait(next);
    if (Object.keys(expired).length > 0) this.#report(expired);
  }
}
