// What the translation of one rule shares: where it puts what it finds wrong, and what the rule's scripts may ask of it.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Flaw } from "../../kit/schema/text-places.ts";
import { isPlacedObject, type Members, objectAt, othersOf, type Placed, type PlacedObject } from "./place.ts";
import { celOf } from "./rhai/cel.ts";

/** A flaw with the path by which the author of the rule knows it. */
export type OwnFlaw = Flaw & { path: string };

export interface Translating {
  readonly problems: OwnFlaw[];
  readonly warnings: OwnFlaw[];
  /** CEL → offset of the script that it was made from. */
  readonly expressions: Map<string, number>;
  /** What `trigger_label()` and `trigger_event_type()` stand for, as CEL. */
  readonly constants: Readonly<Record<string, string>>;
}

export function problemAt(to: Translating, { mark }: Placed, message: string): void {
  to.problems.push({ offset: mark.at, path: mark.path, message });
}

export function warningAt(to: Translating, { mark }: Placed, message: string): void {
  to.warnings.push({ offset: mark.at, path: mark.path, message });
}

/** The value of a required key, which is looked for under its author's name. */
export function required(to: Translating, part: Placed, key: string): Placed | undefined {
  const found = part.get(key);
  if (found === undefined) problemAt(to, part, `\`${key}\` is missing`);
  return found;
}

/** The script as CEL; a problem where that cannot be. */
export function expressionOf(to: Translating, script: Placed | undefined): Placed | undefined {
  if (typeof script?.value !== "string") return script;
  const translated = celOf(script.value, to.constants);
  if (!translated.ok) {
    problemAt(to, script, translated.problem);
    // Something that every reader takes: the rule has a problem already.
    return script.with("true");
  }
  to.expressions.set(translated.cel, Math.max(0, script.mark.start));
  return script.with(translated.cel);
}

/** Milliseconds as seconds. */
export function secsOfMs(ms: Placed | undefined): Placed | undefined {
  return typeof ms?.value === "number" ? ms.with(ms.value / 1000) : ms;
}

/** Under another type, with some of its keys under other names and the rest as they are. */
export function renamed(part: PlacedObject, type: string, names: Readonly<Record<string, string>> = {}): PlacedObject {
  const members = Object.entries(othersOf(part, ["type"])).map(([key, member]) => [names[key] ?? key, member]);
  return objectAt(part, { type, ...(Object.fromEntries(members) as Members) });
}

/** What of a table of modes, written as a list of entries, is under each mode; of several the first counts. */
export function byMode(to: Translating, list: Placed | undefined, key: string): Placed | undefined {
  if (list === undefined || !Array.isArray(list.value)) return list;
  const members: Record<string, Placed> = {};
  for (const entry of list.items()) {
    const mode = entry.get("mode");
    const content = entry.get(key);
    if (!isPlacedObject(entry) || typeof mode?.value !== "string" || content === undefined) {
      problemAt(to, entry, `must have \`mode\` and \`${key}\``);
    } else if (!Object.hasOwn(members, mode.value)) members[mode.value] = content;
  }
  return objectAt(list, members);
}

/** Whether a table has anything in it. */
export function isEmptyTable(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value as JsonObject).length === 0);
}
