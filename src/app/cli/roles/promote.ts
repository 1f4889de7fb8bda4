// A person makes the standby the hub: without loss where the hub hands over, else with what is here.
import type { Follower } from "../../../copies/standby/follow/follower.ts";
import type { LeaseWatch } from "../../../copies/standby/lease/watch.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { OtherIs } from "./other.ts";

export interface Promoting {
  follower: Pick<Follower, "whyUnfit" | "seen" | "moveTo" | "handOver" | "end">;
  /** What the machine at this address is. Rejects with HubError: see `askAt` (other.ts). */
  ask(address: string): Promise<OtherIs>;
  /** Seconds; undefined where there is no whole copy. */
  copyAge: () => number | undefined;
  /** Undefined where hub.toml names none. */
  lease: Pick<LeaseWatch, "row" | "trouble" | "canTake"> | undefined;
  selfId: string;
  /** Why no hub can start with the copied hub.toml. */
  unusable: string | undefined;
}

/** Resolves with what happens now. Rejects with HubError `conflict` that says what to do. */
export async function promote(promoting: Promoting, force: boolean): Promise<string> {
  const { follower, copyAge, lease, selfId, unusable } = promoting;
  const unfit = follower.whyUnfit() ?? unusable;
  if (unfit !== undefined) throw new HubError("conflict", `this machine cannot be the hub: ${unfit}`);
  const { address } = follower.seen;
  const found = await findHub(promoting);
  if (found.hub !== undefined) {
    if (found.hub !== address) follower.moveTo(found.hub);
    await follower.handOver();
    return `the hub at ${found.hub} stops and hands over; this machine is the hub in a few seconds`;
  }
  const { isNone, refused } = found;
  if (lease) refuseForLease(lease, { selfId, force, isNone, refused });
  else if (!force && !isNone)
    throw new HubError(
      "conflict",
      refused ??
        `the hub at ${address} does not answer. If it is off, and stays so until it sees this machine: \`hub standby promote --force\`. Two hubs that both run would both command the house`,
    );
  follower.end("promoted");
  return `this machine becomes the hub, with its copy of ${Math.round(copyAge() ?? 0)} s ago`;
}

interface Found {
  /** Its address. */
  hub?: string;
  /** Another machine says itself that it is not the hub, so there is none that could go on. */
  isNone: boolean;
  /** By a machine that does not know this one. */
  refused?: string;
}

/** Where it was seen last, and where it is by the lease: one may be right where the other is not. */
async function findHub({ follower, lease, selfId, ask }: Promoting): Promise<Found> {
  const found: Found = { isNone: false };
  const { holder } = lease?.row ?? {};
  const named = holder && holder.id !== selfId ? holder.address : "";
  for (const address of new Set([follower.seen.address, named])) {
    if (address === "") continue;
    try {
      const { role } = await ask(address);
      if (role === "hub") return { ...found, hub: address };
      found.isNone = true;
    } catch (error) {
      if (error instanceof HubError && error.code === "unauthenticated") found.refused = error.message;
    }
  }
  return found;
}

interface Wish extends Pick<Found, "isNone" | "refused"> {
  selfId: string;
  force: boolean;
}

function refuseForLease(
  { row, trouble, canTake }: NonNullable<Promoting["lease"]>,
  { selfId, force, isNone, refused }: Wish,
): void {
  if (trouble !== undefined)
    throw new HubError(
      "conflict",
      `neither the hub nor the lease can be asked (${trouble}). Where the lease's engine was lost with the hub: take \`lease\` out of [standby] in config/hub.toml here, restart this machine's service, then \`hub standby promote --force\``,
    );
  if (canTake) return;
  if (row && row.leftMs > 0 && row.holder.id !== selfId)
    throw new HubError(
      "conflict",
      refused ??
        `${row.holder.name} (${row.holder.address}) does not answer here, but it has the lease for another ${Math.ceil(row.leftMs / 1000)} s and keeps it: mend the network between the two, or stop that hub`,
    );
  if (!force && !isNone)
    throw new HubError(
      "conflict",
      "the lease has ended, and names another machine as the standby: `hub standby promote --force` takes it all the same",
    );
}
