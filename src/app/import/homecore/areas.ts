// The areas of the old house, and which one a device is in. Here an area's id is made from its name.
import type { Database } from "bun:sqlite";
import { idFromName, isValidId } from "../../../kit/schema/ids.ts";
import { cleanName, type Report } from "../report.ts";
import type { OldArea, OldDevice } from "./shapes.ts";

/** The id of the area that a device is in, or any other text it calls its area. */
export type AreaOf = (device: OldDevice) => string | undefined;

export function importAreas(
  db: Database,
  areas: readonly OldArea[],
  { report, now }: { report: Report; now: number },
): AreaOf {
  const byMember = new Map<string, string>();
  const byWord = new Map<string, string>();
  for (const area of areas) {
    const id = saveArea(db, area, { report, now });
    if (id === undefined) continue;
    for (const device of area.device_ids ?? []) byMember.set(device, id);
    for (const word of [area.id, area.name]) byWord.set(word.toLowerCase(), id);
  }
  return function areaOf({ device_id, area, area_override }) {
    const member = byMember.get(device_id);
    const word = area_override ?? area;
    if (member !== undefined || !word) return member;
    return byWord.get(word.toLowerCase()) ?? cleanName(word);
  };
}

/** Returns its id here. */
function saveArea(db: Database, { name: given }: OldArea, { report, now }: { report: Report; now: number }) {
  const name = cleanName(given);
  const id = name === undefined ? "" : idFromName(name);
  if (name === undefined || !isValidId(id)) {
    report.add("area", given, "left", "no id can be made from its name: make it by hand");
    return undefined;
  }
  const saved = db.query("INSERT INTO areas (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const isNew = saved.run(id, name, now).changes > 0;
  report.add(
    "area",
    name,
    isNew ? (name === given ? "moved" : "changed") : "there",
    name === given ? undefined : RENAMED,
  );
  return id;
}

/** The note where a name had characters that no name has here. */
export const RENAMED = "its name had control characters, which were removed";
