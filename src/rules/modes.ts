// Actions that depend on the mode of the house.
import type { RuleHost } from "./host.ts";

/** A mode that does not exist is not on. */
export function firstModeOn(modeIds: readonly string[], host: Pick<RuleHost, "mode">): string | undefined {
  return modeIds.find((id) => host.mode(id) === true);
}
