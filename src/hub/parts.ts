// The parts of a hub by name: each says when it begins, and in a safe start some of them are off, with a stand-in in their place.
import { HubError, RESTART_THE_HUB } from "../core/errors.ts";
import type { SafeStart, StartWatch } from "../system/starts.ts";

/** What a hub can do without. */
export const OPTIONAL_PARTS = ["history", "notify", "backup", "rules", "plugins", "mqtt"] as const;
/** What runs other people's programs and texts: off first where nobody knows why the hub died. */
export const SUSPECT_PARTS = ["plugins", "rules"] as const satisfies readonly OptionalPart[];

export type OptionalPart = (typeof OPTIONAL_PARTS)[number];
export type PartName = OptionalPart | "stores" | "house" | "api";

export interface Parts {
  /** With all that is off, also because what it needs is. */
  readonly safe: SafeStart | undefined;
  /** Why it is off; undefined where it is not. */
  off(name: PartName): string | undefined;
  /** Begins a part, or the next step of one. */
  begin<T>(name: PartName, start: () => T): T;
  /** Begins a part, or puts its stand-in there where it is off. */
  beginUnlessOff<T>(name: OptionalPart, start: () => T, standIn: (reason: string) => T): T;
  /** What is off, for the status. */
  problems(): { part: string; message: string }[];
}

const NO_WATCH: StartWatch = { safe: undefined, entering() {} };
const NEEDS: Partial<Record<OptionalPart, OptionalPart>> = { plugins: "mqtt" };

export function createParts({ safe, entering }: StartWatch = NO_WATCH): Parts {
  /** Those that are being begun, the innermost last. */
  const open: PartName[] = [];

  function off(name: PartName): string | undefined {
    if (!safe || !isOptional(name)) return undefined;
    const needed = NEEDS[name];
    if (!safe.off.includes(name) && !(needed && safe.off.includes(needed))) return undefined;
    const why = safe.off.includes(name) ? `the hub failed to start three times (${safe.error})` : `${needed} is off`;
    return `${name} is off in this safe start, because ${why}; mend that, then ${RESTART_THE_HUB}`;
  }

  function begin<T>(name: PartName, start: () => T): T {
    if (off(name) === undefined) entering(name);
    open.push(name);
    try {
      return start();
    } finally {
      open.pop();
    }
  }

  return {
    safe: safe && { ...safe, off: OPTIONAL_PARTS.filter((name) => off(name) !== undefined) },
    off,
    begin,
    beginUnlessOff(name, start, standIn) {
      const reason = off(name);
      if (reason !== undefined) return standIn(reason);
      const begun = begin(name, start);
      // Within another part, which now goes on.
      const outer = open.at(-1);
      if (outer !== undefined) entering(outer);
      return begun;
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

/** Refuses with the reason whatever it is asked, but for what is given. */
export function standInFor<T extends object>(reason: string, answers: Partial<T>): T {
  const refuse = (): never => {
    throw new HubError("unavailable", reason);
  };
  const nothing = (): void => {};
  const ends: readonly (string | symbol)[] = [Symbol.dispose, Symbol.asyncDispose];
  return new Proxy(answers, {
    get: (known, name) => Reflect.get(known, name) ?? (ends.includes(name) ? nothing : refuse),
  }) as T;
}
