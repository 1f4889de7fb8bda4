// Rules about attributes that have another name, or mean something else, since a newer version of the hub: which they are, and what
// somebody decides about each.

import { rulePath } from "../../../state/house/rules.ts";
import { get, post, remove } from "../../../state/hub/api.ts";
import { useWatched, type Watched } from "../../../state/hub/watched.ts";

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

/** What somebody decided has no event. */
const EVERY_MS = 15_000;

export function useRenamedRules(): Watched<RenamedRule[]> {
  return useWatched("renamed attributes", () => get<RenamedRule[]>("/rules/renamed-attributes"), {
    every: EVERY_MS,
    concerns: ({ type }) => type.startsWith("rule_"),
  });
}

/** Changes nothing. Throws ApiError. */
export async function readChanges(ruleId: string): Promise<ChangedLine[]> {
  const { changes } = await post<{ changes: ChangedLine[] }>(rulePath(ruleId, "/rename-attributes?dry_run=true"));
  return changes;
}

/** Throws ApiError. */
export const changeRule = (ruleId: string): Promise<unknown> => post(rulePath(ruleId, "/rename-attributes"));

/** It is right as it is. Throws ApiError. */
export const keepRule = (ruleId: string): Promise<unknown> => remove(rulePath(ruleId, "/renamed-attributes"));
