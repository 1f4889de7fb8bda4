// This machine is to be the house's hub: it takes the lease, or asks the other machine where there is none, and runs the hub until
// something ends it.
import type { HubConfig } from "../../config/sections.ts";
import type { HubEnd } from "../serve-hub.ts";
import { runHub } from "../serve-hub.ts";
import { copiedConfig } from "./config.ts";
import { closeQuietly, type HeldLease, type Next, type Roles } from "./context.ts";
import { handOver } from "./hand-over-role.ts";
import { obtainLease } from "./obtain-lease.ts";
import { isOtherTheHub, watchOther } from "./other.ts";
import { openRoleServer } from "./server.ts";

type AsHub = Extract<Next, { as: "hub" }>;

export async function beHub(roles: Roles, how: AsHub): Promise<Next> {
  const { all, home } = roles;
  const config = all.first?.config ?? copiedConfig(home);
  await choosePort(roles, config);
  const found = how.lease ?? (await findLease(roles, config, how));
  if (found !== undefined && "as" in found) return found;
  const { leaseHolder } = found ?? {};
  const epoch = leaseHolder?.epoch ?? roles.file.epoch;
  if (roles.file.role !== "hub" || roles.file.epoch !== epoch) roles.change({ role: "hub", epoch });
  const lost = Promise.withResolvers<string>();
  void leaseHolder?.lost.then(lost.resolve);
  using _watch = leaseHolder ? undefined : watchOther(roles, config, lost.resolve);
  try {
    const end = await runHub(all, {
      ...{ machine: roles.self(config), leaseHolder, epoch, tookOver: how.tookOver, lost: lost.promise },
      standby: config.standby,
      port: roles.port ?? config.server.port,
    });
    return await afterHub(roles, end, found);
  } catch (error) {
    await closeLease(roles, found);
    throw error;
  }
}

/** `lease`: what it had. */
export async function afterHub(roles: Roles, end: HubEnd, lease: HeldLease | undefined): Promise<Next> {
  const { log } = roles;
  if (end.kind === "stopped") {
    // Not given up: a hub that starts again within seconds is still the hub.
    await closeLease(roles, lease);
    return { as: "end", code: end.code };
  }
  if (end.how === "hand_over") return handOver(roles, lease);
  await closeLease(roles, lease);
  if (end.how === "again") return { as: "hub" };
  // Who has the lease now is for its engine to say: maybe nobody has taken it.
  if (lease) return { as: "hub", isBeaten: true };
  log.warn("this machine goes on as the standby of the other one", { reason: end.reason });
  return roles.becomeStandby();
}

async function findLease(roles: Roles, config: HubConfig, { isBeaten }: AsHub): Promise<HeldLease | Next | undefined> {
  if (config.standby.lease !== undefined) return obtainLease(roles, config, isBeaten === true);
  const other = await isOtherTheHub(roles, config);
  if (!other) return undefined;
  roles.log.warn("the other machine is the hub by now, so this one is its standby", { ...other });
  return roles.becomeStandby();
}

/** Where hub.toml lets the hub take any: the other machine must know it before there is a hub. */
async function choosePort(roles: Roles, config: HubConfig): Promise<void> {
  if (config.server.port !== 0 || roles.port !== undefined) return;
  await using server = openRoleServer(roles, config.server, {
    present: () => ({ role: "waiting", hub: undefined, behindSecs: undefined, problem: "the hub starts" }),
  });
  roles.port = server.port;
}

async function closeLease({ log }: Roles, lease: HeldLease | undefined): Promise<void> {
  await closeQuietly(log, lease?.leaseHolder);
  await closeQuietly(log, lease?.engine);
}
