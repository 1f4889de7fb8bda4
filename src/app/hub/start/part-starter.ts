// Starts the parts of a hub by name: it reports which part is starting, and in a safe start it leaves out each part that is off.
import { HubError, RESTART_THE_HUB } from "../../../kit/schema/errors.ts";
import type { SafeStart, StartWatch } from "../../../server/system/starts.ts";
import type { StartTimes } from "./start-times.ts";

/** The parts that a hub can run without. */
export const OPTIONAL_PARTS = ["history", "notify", "backup", "rules", "plugins", "mqtt"] as const;
/** The parts that run other people's programs and texts: switched off first where the cause of a failure is unknown. */
export const SUSPECT_PARTS = ["plugins", "rules"] as const satisfies readonly OptionalPart[];
export const PART_NEEDS: Readonly<Partial<Record<OptionalPart, OptionalPart>>> = { plugins: "mqtt" };

export type OptionalPart = (typeof OPTIONAL_PARTS)[number];
export type PartName = OptionalPart | "stores" | "house" | "api";

/** Why a part is off in a safe start. */
export interface OffPart {
  part: OptionalPart;
  why: string;
  /** What happens by itself, and what a person can do. */
  remedy: string;
  /** When it is tried again, in epoch ms. */
  nextTry: number;
  /** All of it in a sentence. */
  message: string;
}

/** Throws HubError `part_off` or `unavailable`. */
export type Refuse = () => never;

export interface PartStarter {
  readonly safe: SafeStart | undefined;
  /** The parts that are off, also those that are off only because they need another one. */
  readonly offParts: readonly OffPart[];
  isOff(name: OptionalPart): boolean;
  /** Throws what a part that is off answers; for a part that is on, that it is not there yet. */
  refusal(name: OptionalPart): Refuse;
  /** Starts a part, or the next step of one. */
  begin<T>(name: PartName, start: () => T): T;
  /** Starts a part; undefined if it is off. */
  beginUnlessOff<T>(name: OptionalPart, start: () => T): T | undefined;
}

export interface PartStarterOptions {
  times: Pick<StartTimes, "enter">;
  clock: { now(): number };
  /** Epoch ms as local time. */
  houseTime: (at: number) => string;
  watch?: StartWatch | undefined;
}

export function createPartStarter({ times, clock, houseTime, watch }: PartStarterOptions): PartStarter {
  const safe = watch?.safe;
  const offParts = safe ? OPTIONAL_PARTS.flatMap((part) => offPart(part, safe, houseTime) ?? []) : [];
  /** The parts that are starting, the innermost last. */
  const starting: PartName[] = [];

  const find = (name: PartName): OffPart | undefined => offParts.find(({ part }) => part === name);

  function refusal(name: OptionalPart): Refuse {
    const off = find(name);
    if (!off)
      return () => {
        throw new HubError("unavailable", `the hub is starting: ${name === "mqtt" ? "MQTT" : name} is not up yet`);
      };
    const { part, why, remedy, nextTry, message } = off;
    return () => {
      const retryAfterSecs = Math.max(1, Math.ceil((nextTry - clock.now()) / 1000));
      const next_try = new Date(nextTry).toISOString();
      throw new HubError("part_off", message, { details: { part, why, remedy, next_try, retryAfterSecs } });
    };
  }

  function entering(name: PartName): void {
    watch?.entering(name);
    times.enter(name);
  }

  function begin<T>(name: PartName, start: () => T): T {
    if (!find(name)) entering(name);
    starting.push(name);
    try {
      return start();
    } finally {
      starting.pop();
    }
  }

  return {
    safe,
    offParts,
    isOff: (name) => find(name) !== undefined,
    refusal,
    begin,
    beginUnlessOff(name, start) {
      if (find(name)) return undefined;
      const started = begin(name, start);
      // If it started within another part, that one goes on now.
      const outer = starting.at(-1);
      if (outer !== undefined) entering(outer);
      return started;
    },
  };
}

function offPart(part: OptionalPart, safe: SafeStart, houseTime: (at: number) => string): OffPart | undefined {
  const found = safe.off.find((one) => one.part === part);
  const needed = PART_NEEDS[part];
  const missing = needed === undefined ? undefined : safe.off.find((one) => one.part === needed);
  const cause = found ?? missing;
  if (!cause) return undefined;
  const nextTry = Math.max(found?.next ?? 0, missing?.next ?? 0);
  const why = missing ? `${needed} is off (${missing.error})` : `the hub failed to start with it (${cause.error})`;
  const tried = `${missing ? needed : part} is tried again by itself at ${houseTime(nextTry)}`;
  const remedy = `${tried}; if you know the cause, mend it, then ${RESTART_THE_HUB}`;
  return { part, why, remedy, nextTry, message: `${part} is off in this safe start, because ${why}: ${remedy}` };
}
