// Fields of a part of which one is enough: the form shows one of them, and offers the next.

import type { FieldSchema, Part } from "./rule.ts";

const ALTERNATIVES: readonly (readonly string[])[] = [
  ["duration_secs", "expression"],
  ["state", "expression"],
  ["value", "expression"],
  ["message", "expression"],
  ["payload", "expression"],
  ["body", "expression"],
  ["parameters", "expression"],
  ["conditions", "condition"],
  ["channel", "channels"],
  ["above", "crosses_above"],
  ["below", "crosses_below"],
  ["on", "toggle"],
];
type Named = [string, FieldSchema];

/** What is picked goes before what is set, and that before the first. */
export function shownOf(fields: readonly Named[], part: Part, picked: ReadonlySet<string>): Named[] {
  return fields.filter(([name]) => {
    const group = groupOf(fields, name);
    if (group === undefined) return true;
    const shown = group.find((one) => picked.has(one)) ?? group.find((one) => part[one] !== undefined) ?? group[0];
    return name === shown;
  });
}

/** What can be had instead of this field, if anything. */
export function otherThan(fields: readonly Named[], name: string): string | undefined {
  const group = groupOf(fields, name);
  return group?.[(group.indexOf(name) + 1) % group.length];
}

function groupOf(fields: readonly Named[], name: string): readonly string[] | undefined {
  const has = (one: string): boolean => fields.some(([key]) => key === one);
  return ALTERNATIVES.find((names) => names.includes(name) && names.every(has));
}
