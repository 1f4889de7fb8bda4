// Whether a device that announced itself becomes one of the house: what a person said of it, else what the configuration says.
import { wildcard } from "../../kit/text/wildcard.ts";
import type { DiscoverySection } from "./config.ts";
import type { EntryState } from "./entry.ts";
import type { DiscoveryStore } from "./store.ts";

/** `known`: it is a device of the house already. */
export type Approval = (id: string, of: { name: string | undefined; known: boolean }) => Exclude<EntryState, "broken">;

export function createApproval(
  { approve, accept, ignore }: Pick<DiscoverySection, "approve" | "accept" | "ignore">,
  store: Pick<DiscoveryStore, "decision">,
): Approval {
  const [isAccepted, isIgnored] = [createMatch(accept), createMatch(ignore)];
  return function stateOf(id, { name, known }) {
    const decided = store.decision(id);
    if (decided) return decided;
    if (isIgnored(id, name)) return "ignored";
    return approve === "auto" || known || isAccepted(id, name) ? "accepted" : "waiting";
  };
}

/** Whether one of the patterns matches the id or the name. */
export function createMatch(patterns: readonly string[]): (id: string, name: string | undefined) => boolean {
  const all = patterns.map(wildcard);
  return (id, name) => all.some((one) => one.test(id) || (name !== undefined && one.test(name)));
}
