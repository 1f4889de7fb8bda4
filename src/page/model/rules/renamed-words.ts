// What is called otherwise now, in sentences, and which part of a line becomes another.

import { t } from "../../texts/index.ts";
import { isolated, listed } from "./rule-text.ts";

export interface RenamedRule {
  rule_id: string;
  rule_name: string;
  file: string;
  devices: { device_id: string; device_name: string; from: string; to: string }[];
  can_turn: boolean;
  why_not: string | null;
}

export interface ChangedLine {
  line: number;
  before: string;
  after: string;
}

const MAX_NAMED = 3;

/** One sentence for each name: “contact” of Front door and Back door is “open” now. */
export function renamedSentences({ devices }: Pick<RenamedRule, "devices">): string[] {
  const byNames = Map.groupBy(devices, ({ from, to }) => JSON.stringify([from, to]));
  return [...byNames.values()].map((group) => {
    const names = group.slice(0, MAX_NAMED).map(({ device_name: name }) => isolated(name));
    const others = group.length - names.length;
    const device = listed(others > 0 ? [...names, t("renamed.more", { count: others })] : names);
    const { from = "", to = "" } = group[0] ?? {};
    return t("renamed.is_now", { from: isolated(from), device, to: isolated(to) });
  });
}

/** Why a rule was held back by one; undefined for any other reason of the hub's. */
export function heldBackWords(why: string): string | undefined {
  const [, from, device, to] = /^what "(.+?)" of (.+) meant is "(.+?)" now: /s.exec(why) ?? [];
  if (from === undefined || device === undefined || to === undefined) return undefined;
  return t("why.renamed", { from: isolated(from), device: isolated(device), to: isolated(to) });
}

export interface LinePart {
  text: string;
  isChanged: boolean;
}

/** Both lines without what they are indented by, in parts: from the first word that differs to the last. */
export function partsOf({ before, after }: Pick<ChangedLine, "before" | "after">): {
  before: LinePart[];
  after: LinePart[];
} {
  const [old, next] = [before.trim(), after.trim()];
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old[start] === next[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  // Names are shown whole.
  while (start > 0 && /\w/.test(old[start - 1] ?? "")) start--;
  while (end > 0 && /\w/.test(old.at(-end) ?? "")) end--;
  return { before: cut(old, start, end), after: cut(next, start, end) };
}

function cut(line: string, start: number, end: number): LinePart[] {
  const last = line.length - end;
  const parts = [
    { text: line.slice(0, start), isChanged: false },
    { text: line.slice(start, last), isChanged: true },
    { text: line.slice(last), isChanged: false },
  ];
  return parts.filter(({ text }) => text !== "");
}
