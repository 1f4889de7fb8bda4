// The old states that restores have replaced: numbered folders `data/before-restore-…`, each with a note of what it holds.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { type Unit, units } from "../archive/archive-plan.ts";
import { OLD_STATE_NAME, placesIn, timeInName } from "../places.ts";

export const UnitName = Type.Union(units.map((unit) => Type.Literal(unit)));

const NOTE = "kept.json";
const Note = Type.Object({ at: Type.String(), units: Type.Array(UnitName) });
type Note = Static<typeof Note>;

/** How many old states are kept. */
const MAX_KEPT = 3;

/** What the last restore replaced, if it is still there. */
export function newestOldState(home: Home): { folder: string; units: readonly Unit[]; at: string } | undefined {
  for (const name of namesIn(home).reverse()) {
    const folder = placesIn(home).oldState(name);
    const note = readJsonFile(join(folder, NOTE));
    if (Value.Check(Note, note)) return { folder, units: note.units, at: note.at };
  }
  return undefined;
}

/** The folder for what the next restore replaces; it does not exist yet. */
export function nextOldState(home: Home, now: number): string {
  const last = namesIn(home).at(-1);
  const number = Number(OLD_STATE_NAME.exec(last ?? "")?.[1] ?? 0) + 1;
  return placesIn(home).oldState(`before-restore-${String(number).padStart(4, "0")}-${timeInName(now)}`);
}

/** Removes all but the last few and returns the names. To be called when the hub has started with the present state. */
export async function removeOldStates(home: Home): Promise<{ removed: string[]; kept: string[] }> {
  const names = namesIn(home);
  const removed = names.slice(0, -MAX_KEPT);
  for (const name of removed) {
    const folder = placesIn(home).oldState(name);
    // The note first: without it nobody goes back to a state that is half removed.
    await rm(join(folder, NOTE), { force: true });
    await rm(folder, { recursive: true, force: true });
  }
  return { removed, kept: names.slice(-MAX_KEPT) };
}

export function noteOldState(folder: string, note: Note): void {
  writeFileAtomic(join(folder, NOTE), `${JSON.stringify(note)}\n`, 0o600);
}

/** Undefined where the file is missing or not JSON. Throws HubError `storage` where it cannot be read. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Oldest first. */
function namesIn(home: Home): string[] {
  if (!existsSync(home.data)) return [];
  const number = (name: string): number => Number(OLD_STATE_NAME.exec(name)?.[1]);
  return readdirSync(home.data)
    .filter((name) => OLD_STATE_NAME.test(name))
    .sort((a, b) => number(a) - number(b));
}
