// What restores have replaced: folders `data/before-restore-…`, counted, each with a note of what it holds.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { KEPT_NAME, placesIn, timeInName } from "./places.ts";
import { type Unit, units } from "./understand.ts";

export const UnitName = Type.Union(units.map((unit) => Type.Literal(unit)));

const NOTE = "kept.json";
const Note = Type.Object({ at: Type.String(), units: Type.Array(UnitName) });
type Note = Static<typeof Note>;

/** What a restore replaced last, if it is still there. */
export function newestKept(home: Home): { home: string; units: readonly Unit[]; at: string } | undefined {
  for (const name of keptNames(home).reverse()) {
    const folder = placesIn(home).kept(name);
    const note = readJsonFile(join(folder, NOTE));
    if (Value.Check(Note, note)) return { home: folder, units: note.units, at: note.at };
  }
  return undefined;
}

/** The folder the next restore keeps the old state in; not there yet. */
export function nextKept(home: Home, now: number): string {
  const last = keptNames(home).at(-1);
  const number = Number(KEPT_NAME.exec(last ?? "")?.[1] ?? 0) + 1;
  return placesIn(home).kept(`before-restore-${String(number).padStart(4, "0")}-${timeInName(now)}`);
}

/** How many old states are kept. */
const MOST_KEPT = 3;

/** Removes all but the last few; answers what went and what stays. The hub has started with what is there now. */
export async function trimKept(home: Home): Promise<{ removed: string[]; kept: string[] }> {
  const names = keptNames(home);
  const removed = names.slice(0, -MOST_KEPT);
  for (const name of removed) {
    const folder = placesIn(home).kept(name);
    // First what makes it something to go back to: half of it would be worse than nothing.
    await rm(join(folder, NOTE), { force: true });
    await rm(folder, { recursive: true, force: true });
  }
  return { removed, kept: names.slice(-MOST_KEPT) };
}

export function noteKept(folder: string, note: Note): void {
  writeFileAtomic(join(folder, NOTE), `${JSON.stringify(note)}\n`, 0o600);
}

/** Undefined where there is none, or none that is JSON. Throws HubError `storage` where it cannot be read. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function keptNames(home: Home): string[] {
  if (!existsSync(home.data)) return [];
  const number = (name: string): number => Number(KEPT_NAME.exec(name)?.[1]);
  return readdirSync(home.data)
    .filter((name) => KEPT_NAME.test(name))
    .sort((a, b) => number(a) - number(b));
}
