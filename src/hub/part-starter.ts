// Starts the parts of a hub by name: it reports which part is starting, and in a safe start it puts a stand-in in the place of
// each part that is off.
import { HubError, RESTART_THE_HUB } from "../core/errors.ts";
import type { SafeStart, StartWatch } from "../system/starts.ts";
import type { StartTimes } from "./start-times.ts";

/** The parts that a hub can run without. */
export const OPTIONAL_PARTS = ["history", "notify", "backup", "rules", "plugins", "mqtt"] as const;
/** The parts that run other people's programs and texts: switched off first where the cause of a failure is unknown. */
export const SUSPECT_PARTS = ["plugins", "rules"] as const satisfies readonly OptionalPart[];

export type OptionalPart = (typeof OPTIONAL_PARTS)[number];
export type PartName = OptionalPart | "stores" | "house" | "api";

export interface PartStarter {
  /** Its `off` includes parts that are off only because they need another one. */
  readonly safe: SafeStart | undefined;
  /** Why a part is off; undefined if it is on. */
  off(name: PartName): string | undefined;
  /** Starts a part, or the next step of one. */
  begin<T>(name: PartName, start: () => T): T;
  /** Starts a part, or creates its stand-in if it is off. */
  beginUnlessOff<T>(name: OptionalPart, start: () => T, standIn: (reason: string) => T): T;
  /** The parts that are off, for the status. */
  problems(): { part: string; message: string }[];
}

const NO_WATCH: StartWatch = { safe: undefined, entering() {} };
const NEEDS: Partial<Record<OptionalPart, OptionalPart>> = { plugins: "mqtt" };

export function createPartStarter(times: Pick<StartTimes, "enter">, watch: StartWatch = NO_WATCH): PartStarter {
  const { safe } = watch;
  /** The parts that are starting, the innermost last. */
  const starting: PartName[] = [];

  function off(name: PartName): string | undefined {
    if (!safe || !isOptional(name)) return undefined;
    const needed = NEEDS[name];
    if (!safe.off.includes(name) && !(needed && safe.off.includes(needed))) return undefined;
    const why = safe.off.includes(name) ? `the hub failed to start three times (${safe.error})` : `${needed} is off`;
    return `${name} is off in this safe start, because ${why}; mend that, then ${RESTART_THE_HUB}`;
  }

  function entering(name: PartName): void {
    watch.entering(name);
    times.enter(name);
  }

  function begin<T>(name: PartName, start: () => T): T {
    if (off(name) === undefined) entering(name);
    starting.push(name);
    try {
      return start();
    } finally {
      starting.pop();
    }
  }

  return {
    safe: safe && { ...safe, off: OPTIONAL_PARTS.filter((name) => off(name) !== undefined) },
    off,
    begin,
    beginUnlessOff(name, start, standIn) {
      const reason = off(name);
      if (reason !== undefined) return standIn(reason);
      const started = begin(name, start);
      // If it started within another part, that one goes on now.
      const outer = starting.at(-1);
      if (outer !== undefined) entering(outer);
      return started;
    },
    problems: () =>
      OPTIONAL_PARTS.flatMap((part) => {
        const message = off(part);
        return message === undefined ? [] : [{ part, message }];
      }),
  };
}

function isOptional(name: PartName): name is OptionalPart {
  return (OPTIONAL_PARTS as readonly string[]).includes(name);
}

/** An object whose methods throw HubError `unavailable` with the reason, except for the given ones; disposing it does nothing. */
export function standInFor<T extends object>(reason: string, answers: Partial<T>): T {
  const refuse = (): never => {
    throw new HubError("unavailable", reason);
  };
  const nothing = (): void => {};
  const disposers: readonly (string | symbol)[] = [Symbol.dispose, Symbol.asyncDispose];
  return new Proxy(answers, {
    get: (known, name) => Reflect.get(known, name) ?? (disposers.includes(name) ? nothing : refuse),
  }) as T;
}
