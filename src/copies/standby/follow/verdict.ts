// When a standby may make itself the hub.
import type { LeaseWatch } from "../lease/watch.ts";

export interface Situation {
  /** Only a person makes it the hub. */
  isManual: boolean;
  /** Whether the copy is one of a whole house. */
  isWhole: boolean;
  /** The hub's databases are of a newer layout than this machine's version knows. */
  isTooOld: boolean;
  lease: Pick<LeaseWatch, "canTake" | "row" | "trouble"> | undefined;
  /** How long this machine has still promised the hub not to take over; negative where that is over. */
  promisedForMs: number;
}

/** Undefined where nothing is against it now. The hub may be well: then the lease is against it. */
export function whyNotTheHub(situation: Situation): string | undefined {
  return whyUnfit(situation) ?? whyNotNow(situation);
}

/** What a person has to mend, too, before this machine can be the hub. */
export function whyUnfit({ isWhole, isTooOld }: Pick<Situation, "isWhole" | "isTooOld">): string | undefined {
  if (isTooOld) return "the hub is of a newer version than this machine: upgrade this one, with `hub upgrade FILE`";
  if (!isWhole) return "the copy is not whole yet";
  return undefined;
}

function whyNotNow({ isManual, lease, promisedForMs }: Situation): string | undefined {
  if (isManual || !lease) return "a person makes it the hub, with `hub standby promote`";
  if (lease.trouble !== undefined) return `the lease cannot be asked for: ${lease.trouble}`;
  const { row } = lease;
  if (!lease.canTake) {
    if (!row) return "no machine has the lease yet";
    return row.leftMs > 0
      ? `${row.holder.name} has the lease`
      : `the lease of ${row.holder.name} has ended, and names another machine as its standby: \`hub standby promote --force\` takes it all the same`;
  }
  return promisedForMs > 0 ? `it promised the hub to wait for ${Math.ceil(promisedForMs / 1000)} s` : undefined;
}
