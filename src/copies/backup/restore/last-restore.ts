// How the last restore ended: a file beside the databases, so that it outlives the restart.
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { countHome } from "../archive/home-contents.ts";
import { Counts } from "../archive/manifest.ts";
import { placesIn } from "../places.ts";
import type { OnPlaced } from "./swap.ts";

/** How the last restore ended; in `data/last-restore.json`, so that it outlives the restart. */
export const LastRestore = Type.Object({
  at: Type.String({ description: "UTC" }),
  ok: Type.Union([Type.Boolean(), Type.Null()], { description: "null until the hub has started with it" }),
  counts: Type.Union([Counts, Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
});
export type LastRestore = Static<typeof LastRestore>;

export function readLastRestore(home: Home): LastRestore | null {
  try {
    const read: unknown = JSON.parse(readFileSync(placesIn(home).lastRestore, "utf8"));
    return Value.Check(LastRestore, read) ? read : null;
  } catch {
    return null;
  }
}

export function recordFailure(home: Home, error: unknown, now: number): void {
  record(home, { at: isoSeconds(now), ok: false, counts: null, error: messageOf(error) });
}

/** The hub runs with what was restored. */
export function recordStarted(home: Home): void {
  const last = readLastRestore(home);
  if (last) record(home, { ...last, ok: true });
}

/** Runs after a power cut, too, so it must not throw. */
export function recordPlaced(home: Home): OnPlaced {
  return ({ at, onTrial }) => record(home, { at, ok: onTrial ? null : true, counts: countsOf(home), error: null });
}

function countsOf(home: Home): Counts | null {
  try {
    return countHome(home);
  } catch {
    return null;
  }
}

function record(home: Home, last: LastRestore): void {
  try {
    writeFileAtomic(placesIn(home).lastRestore, `${JSON.stringify(last)}\n`, 0o600);
  } catch {
    // The restore itself is done, or has reported its own failure.
  }
}
