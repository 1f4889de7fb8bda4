// This machine is to be the house's hub: it takes the lease, or asks the other machine where there is none, and runs the hub until
// something ends it.
import { openHandOver } from "../../../copies/standby/follow/hand-over.ts";
import { createSourceClient, sourceWorker } from "../../../copies/standby/source/client.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { HubConfig } from "../../config/sections.ts";
import { type HubEnd, runHub } from "../serve-hub.ts";
import { hubVersion } from "../version.ts";
import { copiedConfig } from "./config.ts";
import { closeQuietly, type HeldLease, type Next, type Roles } from "./context.ts";
import { obtainLease } from "./obtain-lease.ts";
import { askOther, isOtherTheHub, watchOther } from "./other.ts";
import { lineOf, type Present } from "./present.ts";
import { openRoleServer } from "./server.ts";

const WITHIN_MS = 60_000;
/** Until the other machine's hub is up: an answer that it lost on the way is given again. */
const AFTERWARDS_MS = 30_000;
const ASK_EVERY_MS = 500;

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

/** The hub has stopped so that the other machine be it: that one copies what is left, then the lease is given up. */
async function handOver(roles: Roles, lease: HeldLease | undefined): Promise<Next> {
  const { all, home, log, clock } = roles;
  const key = roles.key();
  const config = copiedConfig(home);
  if (key === undefined) {
    log.error("there is no other machine to hand over to; the hub starts again");
    return { as: "hub", lease };
  }
  using _lock = borrowHome(home, { waits: true });
  const ended = new AbortController();
  void all.stop.then(() => ended.abort());
  const other = roles.other();
  const present: Present = {
    role: "handing_over",
    hub: other && { name: undefined, address: other.address },
    ...{ behindSecs: undefined, problem: undefined },
  };
  await using handing = openHandOver({
    source: createSourceClient({ worker: sourceWorker(), home, version: hubVersion, clock, log }),
    ...{ key, epoch: roles.file.epoch, withinMs: WITHIN_MS, clock, log },
    async giveUp() {
      // First of all: whatever happens now, this machine does not start as the hub by itself.
      roles.becomeStandby();
      await lease?.leaseHolder.giveUp().catch((error: unknown) => {
        log.warn("the lease could not be given up; it ends by itself", { error: messageOf(error) });
      });
    },
  });
  await using _server = openRoleServer(roles, config.server, { present: () => present, answer: handing.answer });
  all.present({ summary: () => lineOf(present), isWell: async () => true });
  log.info("the hub has stopped; the other machine copies what is left");
  const isDone = await Promise.race([handing.done, all.stop.then(() => undefined)]);
  if (isDone === false) {
    log.error("the other machine did not get everything in time; this one is the hub as before", {
      secs: WITHIN_MS / 1000,
    });
    return { as: "hub", lease };
  }
  await closeQuietly(log, lease?.leaseHolder);
  await closeQuietly(log, lease?.engine);
  if (isDone === undefined) return { as: "end", code: 0 };
  log.info("the other machine has everything; this one is its standby from now on");
  const until = clock.mono() + AFTERWARDS_MS;
  while (clock.mono() < until && (await askOther(roles, config))?.role !== "hub")
    if (!(await sleep(clock, "hand-over", ASK_EVERY_MS, ended.signal))) return { as: "end", code: 0 };
  return { as: "standby" };
}
