// Calendars of homeCore → `[[calendars]]`: by their address, or as a file where the backup holds one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Home } from "../../../server/home/paths.ts";
import { writeStaged } from "../staged-home.ts";
import type { Mapped } from "./config-map.ts";
import type { OldCalendar } from "./shapes.ts";

const FOLDER = "config/calendars";

export interface MappedCalendar {
  readonly id: string;
  readonly mapped: Mapped;
}

/** `files`: calendar → the text of its .ics file. */
export function mapCalendars(
  calendars: readonly OldCalendar[],
  files: ReadonlyMap<string, string>,
): readonly MappedCalendar[] {
  const listed = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  for (const id of files.keys()) if (!listed.has(id)) listed.set(id, { id });
  return [...listed.values()].map((old) => ({ id: old.id, mapped: calendarOf(old, files.has(old.id)) }));
}

function calendarOf({ id: given, source_url }: OldCalendar, hasFile: boolean): Mapped {
  const id = idOf(given);
  const renamed = id === given ? {} : { note: `rules must call it "${id}"` };
  const entry = (source: JsonObject): Mapped => ({
    entry: { id, ...(id !== given && { name: given }), ...source },
    ...renamed,
  });
  if (source_url && /^(https|webcal):\/\//.test(source_url)) return entry({ url: source_url });
  if (hasFile) return entry({ file: `${FOLDER}/${id}.ics` });
  const how = `copy calendars/${given}.ics from there to ${FOLDER}/${id}.ics, and add id and file under [[calendars]] in hub.toml`;
  return source_url ? `its address does not begin with https://: ${how}` : `its file is not in the backup: ${how}`;
}

function idOf(given: string): string {
  return given.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}

/** Writes those that have no address; a file that is here already stays. */
export function writeCalendars(
  { root }: Pick<Home, "root">,
  calendars: readonly MappedCalendar[],
  files: ReadonlyMap<string, string>,
): void {
  for (const { id, mapped } of calendars) {
    const text = files.get(id);
    const file = typeof mapped === "string" ? undefined : mapped.entry.file;
    if (text === undefined || typeof file !== "string") continue;
    const path = join(root, file);
    if (!existsSync(path)) writeStaged(path, text, 0o600);
  }
}
