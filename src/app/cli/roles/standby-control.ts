// Whom the standby's server and its supervisor ask: how the copy is, and what a person wants.
import type { Copy } from "../../../copies/standby/copy/copy.ts";
import type { Follower } from "../../../copies/standby/follow/follower.ts";
import type { Machine } from "../../../copies/standby/lease/lease.ts";
import type { LeaseWatch } from "../../../copies/standby/lease/watch.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";
import { hubVersion } from "../version.ts";
import type { Roles } from "./context.ts";
import type { Acting, Present } from "./present.ts";

/** What there is while the hub is followed. */
export interface Following {
  self: Machine;
  copy: Pick<Copy, "status">;
  follower: Follower;
  lease: LeaseWatch | undefined;
  isManual: boolean;
  /** Why this machine does not become the hub by itself; undefined if it would. */
  whyNot(): string | undefined;
  promote(force: boolean): Promise<string>;
}

export interface StandbyControl extends Acting {
  following: Following | undefined;
  /** Beside what is wrong with following. */
  trouble: string | undefined;
}

export function createStandbyControl(roles: Roles): StandbyControl {
  const { clock } = roles;

  function present(): Present {
    const { following, trouble } = control;
    const status = following?.copy.status();
    const address = following?.follower.seen.address ?? roles.other()?.address;
    const row = following?.lease?.row;
    return {
      role: "standby",
      hub:
        address === undefined
          ? undefined
          : { name: row?.holder.address === address ? row.holder.name : undefined, address },
      behindSecs: status?.isComplete ? Math.max(0, (clock.now() - (status.copiedAt ?? 0)) / 1000) : undefined,
      problem: following?.follower.problem ?? status?.problem ?? trouble,
    };
  }

  const control: StandbyControl = {
    ...{ following: undefined, trouble: undefined },
    present,
    details() {
      const { following } = control;
      if (!following) return { ...present() } as unknown as Json;
      return detailsOf(roles, following, present());
    },
    async promote(force) {
      if (!control.following)
        throw new HubError("unavailable", "this machine is changing its role: try again in a moment");
      return control.following.promote(force);
    },
  };
  return control;
}

/** Seconds and ISO times; no secrets. */
function detailsOf({ clock }: Roles, following: Following, present: Present): Json {
  const { copy, follower, lease, self, isManual } = following;
  const { isComplete, copiedAt, historyThrough, isHistoryWhole, devices, bytes, problem } = copy.status();
  const { lastSeenMono, hubVersion: version, address, epoch } = follower.seen;
  const iso = (at: number | undefined): string | null =>
    at === undefined || at === 0 ? null : new Date(at).toISOString();
  const row = lease?.row;
  return {
    ...{ role: "standby", version: hubVersion, epoch, manual: isManual },
    machine: { ...self },
    hub: {
      ...{ address, name: present.hub?.name ?? null, version: version ?? null },
      heard_secs_ago: lastSeenMono === undefined ? null : Math.round((clock.mono() - lastSeenMono) / 1000),
    },
    copy: {
      ...{ whole: isComplete, history_whole: isHistoryWhole, devices: devices ?? null, bytes },
      ...{ state_at: iso(isComplete ? copiedAt : undefined), history_through: iso(historyThrough) },
      behind_secs: present.behindSecs === undefined ? null : Math.round(present.behindSecs),
      problem: problem ?? null,
    },
    lease: lease
      ? {
          holder: row?.holder.name ?? null,
          left_secs: row ? Math.ceil(row.leftMs / 1000) : null,
          trouble: lease.trouble ?? null,
        }
      : null,
    takes_over: following.whyNot() ?? null,
    problem: present.problem ?? null,
  };
}
