// Turns solar modes on and off, each at the second of its moment and once. What a person sets holds until the next moment.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { jsonEqual } from "../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { SolarMoment, Sun } from "../../../kit/time/sun.ts";
import type { SolarMode } from "./modes-file.ts";

/** What the device of a mode says. */
export interface ModeState {
  /** A person set it against the sun. */
  overridden: boolean;
  /** Epoch ms of its last change. */
  changedAt: number;
}

export interface SunFollowerOptions {
  clock: Clock;
  log: Log;
  sun: Sun;
  stateOf: (id: string) => ModeState;
  /** Called for every transition, also if the mode is in that state already. */
  setMode: (id: string, on: boolean) => void;
}

/** A moment, epoch ms, at which a mode turns on or off. */
interface Transition {
  at: number;
  on: boolean;
}

interface FollowedMode {
  mode: SolarMode;
  /** The last transition that took effect; undefined before the first decision. */
  last?: Transition;
}

// A step of the wall clock is noticed after this time. While the clock is slewed, a moment shifts by milliseconds only.
const MAX_WAIT_MS = 10_000;
// A clock that is set back by up to this does not repeat a transition: the rule of Debian's cron, as for scheduled rules.
const SET_BACK_MS = 3 * 3_600_000;
// As for timers: a Raspberry Pi boots with a time in the past, which is corrected within minutes.
const CLOCK_UNSURE_MS = 15 * 60_000;

export class SunFollower implements Disposable {
  readonly #options: SunFollowerOptions;
  readonly #startedMono: number;
  readonly #followed = new Map<string, FollowedMode>();
  #timer: Timer | undefined;

  constructor(options: SunFollowerOptions) {
    this.#options = options;
    this.#startedMono = options.clock.mono();
  }

  /** Follows these modes from now on, and no others. */
  follow(modes: readonly SolarMode[]): void {
    const before = new Map(this.#followed);
    this.#followed.clear();
    for (const mode of modes) {
      const known = before.get(mode.id);
      this.#followed.set(mode.id, known && jsonEqual(known.mode, mode) ? known : { mode });
    }
    this.#update();
  }

  forget(id: string): void {
    this.#followed.delete(id);
  }

  /** A person commands the mode: the sun leaves it alone until the next moment. Returns whether the sun has it on now. */
  override(id: string): boolean {
    const followed = this.#followed.get(id);
    if (!followed) return false;
    followed.last ??= this.#lastTransition(followed.mode, this.#options.clock.now());
    return followed.last.on;
  }

  /** Epoch ms of the next moments. */
  next(mode: SolarMode): { on: number | undefined; off: number | undefined } {
    const { clock, sun } = this.#options;
    const now = clock.now();
    return { on: sun.around(mode.on, now).next, off: sun.around(mode.off, now).next };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #update(): void {
    const { clock, log, setMode } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const now = clock.now();
    const due = [...this.#followed.values()].flatMap((followed) => {
      const transition = this.#dueTransition(followed, now);
      return transition ? [{ followed, transition }] : [];
    });
    for (const { followed, transition } of due.sort((a, b) => a.transition.at - b.transition.at)) {
      followed.last = transition;
      guarded(log, `solar mode ${followed.mode.id}`, setMode)(followed.mode.id, transition.on);
    }
    this.#scheduleUpdate(now);
  }

  #scheduleUpdate(now: number): void {
    if (this.#followed.size === 0) return;
    const { clock, log, sun } = this.#options;
    const moments = [...this.#followed.values()].flatMap(({ mode }) => [mode.on, mode.off]);
    const soonest = Math.min(...moments.map((moment) => sun.around(moment, now).next ?? Number.POSITIVE_INFINITY));
    const update = guarded(log, "solar modes", () => this.#update());
    this.#timer = clock.after("solar modes", Math.min(soonest - now, MAX_WAIT_MS), update);
  }

  /** The transition to make now, if any. */
  #dueTransition(followed: FollowedMode, now: number): Transition | undefined {
    const latest = this.#lastTransition(followed.mode, now);
    const { last } = followed;
    if (!last) return this.#firstTransition(followed, latest, now);
    if (latest.at === last.at && latest.on === last.on) return undefined;
    const isSetBack = last.at > now && last.at - now <= SET_BACK_MS;
    return isSetBack ? undefined : latest;
  }

  /**
   * After a restart. A last change in the future says that this clock is behind (or was ahead), and following the sun by it
   * would make a wrong transition: so the clock is given time to be corrected.
   */
  #firstTransition(followed: FollowedMode, latest: Transition, now: number): Transition | undefined {
    const { clock, stateOf } = this.#options;
    const { overridden, changedAt } = stateOf(followed.mode.id);
    if (changedAt > now && clock.mono() - this.#startedMono < CLOCK_UNSURE_MS) return undefined;
    if (!overridden || changedAt <= latest.at || changedAt > now) return latest;
    followed.last = latest;
    return undefined;
  }

  #lastTransition(mode: SolarMode, now: number): Transition {
    const previous = (moment: SolarMoment): number =>
      this.#options.sun.around(moment, now).previous ?? Number.NEGATIVE_INFINITY;
    const on = previous(mode.on);
    const off = previous(mode.off);
    return on > off ? { at: on, on: true } : { at: off, on: false };
  }
}
