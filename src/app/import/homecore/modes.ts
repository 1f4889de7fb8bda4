// Modes: what homeCore's modes.toml says goes into ours, in our words. What is in ours already stays.
import { readModes } from "../../../house/state/virtual/modes-file.ts";
import { isObject, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import { parseToml, stringifyToml } from "../../../kit/schema/toml.ts";
import { cleanName, type Report } from "../report.ts";
import { type OldMode, OldMode as OldModeSchema, readList } from "./shapes.ts";

export interface ModesImport {
  /** The text of our modes.toml so far. */
  readonly text: string;
  /** Whether the house has a location: solar modes need one. */
  readonly located: boolean;
  readonly report: Report;
}

/** homeCore makes these itself, also without a modes.toml. */
const BUILT_IN: readonly OldMode[] = [
  { id: "mode_night", name: "Night Mode", kind: "solar", on_event: "Sunset", off_event: "Sunrise" },
  { id: "mode_day", name: "Day Mode", kind: "solar", on_event: "Sunrise", off_event: "Sunset" },
];

/** Those of the backup's modes.toml, and those that only the running homeCore reports. */
export function oldModes(modesToml: string | undefined, listed: readonly OldMode[], report: Report): OldMode[] {
  const read = modesToml === undefined ? undefined : parseToml(modesToml);
  if (read && !read.ok) report.add("mode", "modes.toml of the backup", "left", "it cannot be read");
  const packed = read?.ok ? (read.table.modes ?? []) : [];
  const { items } = readList(Array.isArray(packed) ? packed : [], OldModeSchema, "modes.toml");
  const known = new Map<string, OldMode>();
  for (const mode of [...items, ...listed, ...BUILT_IN]) if (!known.has(mode.id)) known.set(mode.id, mode);
  return [...known.values()];
}

/** Returns the new text of modes.toml. */
export function importModes(modes: readonly OldMode[], { text, located, report }: ModesImport): string {
  const here = readModes(text, { located });
  const present = new Set((here.modes ?? []).map(({ id }) => id));
  let edited = text;
  for (const mode of modes) {
    const name = cleanName(mode.name ?? mode.id) ?? mode.id;
    if (present.has(mode.id)) {
      report.add("mode", name, "there");
      continue;
    }
    const longer = `${edited}${edited === "" || edited.endsWith("\n") ? "" : "\n"}\n${stringifyToml({ modes: [entryOf(mode, name)] })}`;
    const problem = readModes(longer, { located }).problems.find(
      ({ path, message, warning }) =>
        !warning && !here.problems.some((one) => one.path === path && one.message === message),
    );
    if (problem) {
      report.add("mode", name, "left", `${problem.path}: ${problem.message}`);
      continue;
    }
    edited = longer;
    const isBlind = mode.kind === "solar" && !located;
    report.add(
      "mode",
      name,
      isBlind ? "changed" : "moved",
      isBlind ? "it follows the sun once hub.toml has a [location]" : undefined,
    );
  }
  return edited;
}

function entryOf(
  { id, kind, on_event, off_event, on_offset_minutes, off_offset_minutes }: OldMode,
  name: string,
): JsonObject {
  const solar = {
    ...(on_event && { on_event: snakeCase(on_event) }),
    ...(off_event && { off_event: snakeCase(off_event) }),
    ...(on_offset_minutes && { on_offset_minutes }),
    ...(off_offset_minutes && { off_offset_minutes }),
  };
  return { id, name, kind, ...(kind === "solar" && solar) };
}

/** `CivilDusk` → `civil_dusk` */
function snakeCase(word: string): string {
  return word.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

/** Names the modes that follow criteria, which have no counterpart. */
export function reportCriteria(definitions: string | undefined, report: Report): void {
  if (definitions === undefined) return;
  const read = parseJson(definitions, 64);
  const list =
    read.ok && isObject(read.value) ? (read.value.definitions ?? Object.values(read.value)) : read.ok ? read.value : [];
  for (const entry of Array.isArray(list) ? list : []) {
    const id = isObject(entry) ? (entry.mode_id ?? entry.id ?? entry.name) : undefined;
    if (typeof id === "string")
      report.add("mode", id, "left", "its criteria have no counterpart: write a rule that sets the mode");
  }
}
