// What the parts of a rule know of each other: names given in one of them and picked in another.

import { createContext } from "preact";
import type { Json } from "../../../model/device/json.ts";
import type { WholeRule } from "../../../model/rules/rule.ts";

export interface NamesInRule {
  /** Of its triggers, for `trigger_is`. */
  triggers: readonly string[];
  /** Its own switches. */
  switches: readonly string[];
}

export const InRule = createContext<NamesInRule>({ triggers: [], switches: [] });

export function namesIn({ triggers, conditions, actions }: WholeRule): NamesInRule {
  const switches = new Set<string>();
  collect([conditions, actions] as unknown as Json, switches);
  return {
    triggers: [...new Set(triggers.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))],
    switches: [...switches],
  };
}

function collect(value: Json, into: Set<string>): void {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value) && /^(set_)?private_boolean(_is)?$/.test(String(value.type)))
    if (typeof value.name === "string") into.add(value.name);
  for (const inner of Object.values(value)) collect(inner, into);
}
