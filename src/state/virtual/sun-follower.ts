// When solar modes turn: at the second of their moments, each once. A person's word holds until the next moment.
import type { Clock, Timer } from "../../core/clock.ts";
import { jsonEqual } from "../../core/json.ts";
import { guarded } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";
import type { Around, SolarMoment, Sun } from "../../core/sun.ts";
import type { SolarMode } from "./modes-file.ts";

/** What a mode's device knows of itself. */
export interface Standing {
  /** A person set it against the sun. */
  overridden: boolean;
  /** Epoch ms of its last change. */
  changedAt: number;
}

export interface SunFollowerOptions {
  clock: Clock;
  log: Log;
  sun: Sun;
  standing: (id: string) => Standing;
  /** The sun wants it so; the mode may stand like that already. */
  turn: (id: string, on: boolean) => void;
}

export interface SunFollower extends Disposable {
  /** These modes from now on, and no others. */
  follow(modes: readonly SolarMode[]): void;
  forget(id: string): void;
  /** A person commands the mode: until the next moment it is theirs. Gives back what the sun wants now. */
  giveWay(id: string): boolean;
  next(mode: SolarMode): { on: number | undefined; off: number | undefined };
}

/** The moment that a mode went by last. */
interface Turn {
  at: number;
  on: boolean;
}

interface Followed {
  mode: SolarMode;
  /** Undefined before the first decision. */
  settled?: Turn;
}

// Steps of the wall clock are noticed after so long, and slewing it shifts a moment by no more than milliseconds.
const LONGEST_HOP_MS = 10_000;
// Set back by up to this, a clock does not undo the moment it has passed: as Debian's cron, by which scheduled rules go too.
const NEW_CLOCK_MS = 3 * 3_600_000;
// As with timers: a Raspberry Pi boots in the past, and is put right within minutes.
const CLOCK_UNSURE_MS = 15 * 60_000;
const NEVER: Turn = { at: Number.NEGATIVE_INFINITY, on: false };

export function createSunFollower({ clock, log, sun, standing, turn }: SunFollowerOptions): SunFollower {
  const followed = new Map<string, Followed>();
  const startedMono = clock.mono();
  let hop: Timer | undefined;

  /** The turn a mode is due to make, or undefined while it stands as it should. */
  function decide({ mode, settled }: Followed, now: number): Turn | undefined {
    const last = lastTurn(sun, mode, now);
    if (!settled) return decideFirst(mode, last, now);
    if (last.at === settled.at && last.on === settled.on) return undefined;
    const setBack = settled.at > now && settled.at - now <= NEW_CLOCK_MS;
    return setBack ? undefined : last;
  }

  // Over a restart. A change that lies in the future says that this clock is behind (or was ahead): what it makes of the
  // sun would be a turn too many, so it is given time to be put right.
  function decideFirst(mode: SolarMode, last: Turn, now: number): Turn | undefined {
    const { overridden, changedAt } = standing(mode.id);
    if (changedAt > now && clock.mono() - startedMono < CLOCK_UNSURE_MS) return undefined;
    if (!overridden || changedAt <= last.at || changedAt > now) return last;
    settle(mode.id, last);
    return undefined;
  }

  function settle(id: string, settled: Turn): void {
    const entry = followed.get(id);
    if (entry) entry.settled = settled;
  }

  function look(): void {
    hop?.[Symbol.dispose]();
    hop = undefined;
    const now = clock.now();
    const due = [...followed.values()].flatMap((entry) => {
      const to = decide(entry, now);
      return to ? [{ entry, to }] : [];
    });
    for (const { entry, to } of due.sort((a, b) => a.to.at - b.to.at)) {
      entry.settled = to;
      guarded(log, `solar mode ${entry.mode.id}`, turn)(entry.mode.id, to.on);
    }
    wait(now);
  }

  function wait(now: number): void {
    if (followed.size === 0) return;
    const moments = [...followed.values()].flatMap(({ mode }) => [mode.on, mode.off]);
    const soonest = Math.min(...moments.map((moment) => sun.around(moment, now).next ?? Number.POSITIVE_INFINITY));
    hop = clock.after("solar modes", Math.min(soonest - now, LONGEST_HOP_MS), guarded(log, "solar modes", look));
  }

  return {
    follow(modes) {
      const before = new Map(followed);
      followed.clear();
      for (const mode of modes) {
        const held = before.get(mode.id);
        followed.set(mode.id, held && jsonEqual(held.mode, mode) ? held : { mode });
      }
      look();
    },
    forget: (id) => void followed.delete(id),
    giveWay(id) {
      const entry = followed.get(id);
      if (!entry) return false;
      entry.settled ??= lastTurn(sun, entry.mode, clock.now());
      return entry.settled.on;
    },
    next(mode) {
      const now = clock.now();
      return { on: sun.around(mode.on, now).next, off: sun.around(mode.off, now).next };
    },
    [Symbol.dispose]: () => hop?.[Symbol.dispose](),
  };
}

function lastTurn(sun: Sun, mode: SolarMode, now: number): Turn {
  const at = (moment: SolarMoment): Around["previous"] => sun.around(moment, now).previous;
  const on = { at: at(mode.on) ?? NEVER.at, on: true };
  const off = { at: at(mode.off) ?? NEVER.at, on: false };
  return on.at > off.at ? on : off;
}
