// A person makes the standby the hub: without loss where the hub hands over, else with what is here.
import type { HubConfig } from "../../config/sections.ts";
import { HubError } from "../../core/errors.ts";
import type { Follower } from "../../standby/follow/follower.ts";
import type { LeaseWatch } from "../../standby/lease/watch.ts";
import type { Roles } from "./context.ts";
import { askOther } from "./other.ts";

export interface Promoting {
  roles: Roles;
  config: HubConfig;
  follower: Follower;
  /** Undefined where hub.toml names none. */
  lease: LeaseWatch | undefined;
  selfId: string;
  /** Why no hub can start with the copied hub.toml. */
  unusable: string | undefined;
}

/** Resolves with what happens now. Rejects with HubError `conflict` that says what to do. */
export async function promote(
  { roles, config, follower, lease, selfId, unusable }: Promoting,
  force: boolean,
): Promise<string> {
  const unfit = follower.whyUnfit() ?? unusable;
  if (unfit !== undefined) throw new HubError("conflict", `this machine cannot be the hub: ${unfit}`);
  const { address } = follower.seen;
  const other = await askOther(roles, config, address);
  if (other?.role === "hub") {
    await follower.handOver();
    return `the hub at ${address} stops and hands over; this machine is the hub in a few seconds`;
  }
  // Said by the other machine itself, so there is no hub that could go on.
  const isNone = other !== undefined;
  if (lease) refuseForLease(lease, { selfId, force, isNone });
  else if (!force && !isNone)
    throw new HubError(
      "conflict",
      `the hub at ${address} does not answer. If it is off, and stays so until it sees this machine: \`hub standby promote --force\`. Two hubs that both run would both command the house`,
    );
  follower.end("promoted");
  return "this machine becomes the hub";
}

interface Wish {
  selfId: string;
  force: boolean;
  isNone: boolean;
}

function refuseForLease(lease: LeaseWatch, { selfId, force, isNone }: Wish): void {
  const { row, trouble, canTake } = lease;
  if (trouble !== undefined)
    throw new HubError(
      "conflict",
      `neither the hub nor the lease can be asked (${trouble}). Where the lease's engine was lost with the hub: take \`lease\` out of [standby] in config/hub.toml here, restart this machine's service, then \`hub standby promote --force\``,
    );
  if (canTake) return;
  if (row && row.leftMs > 0 && row.holder.id !== selfId)
    throw new HubError(
      "conflict",
      `${row.holder.name} (${row.holder.address}) does not answer here, but it has the lease for another ${Math.ceil(row.leftMs / 1000)} s and keeps it: mend the network between the two, or stop that hub`,
    );
  if (!force && !isNone)
    throw new HubError(
      "conflict",
      "the lease has ended, and names another machine as the standby: `hub standby promote --force` takes it all the same",
    );
}
