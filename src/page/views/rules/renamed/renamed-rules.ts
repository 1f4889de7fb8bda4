// Rules about attributes that have another name, or mean something else, since a newer version of the hub: which they are, and what
// somebody decides about each.

import type { ChangedLine, RenamedRule } from "../../../model/rules/renamed-words.ts";
import { rulePath } from "../../../state/house/rules.ts";
import { get, post, remove } from "../../../state/hub/api.ts";
import { useWatched, type Watched } from "../../../state/hub/watched.ts";

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
