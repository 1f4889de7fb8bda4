// The standby becomes the hub: its copy is checked and made a home that a hub starts from, and the lease is taken.
import type { Copy } from "../../../copies/standby/copy/copy.ts";
import type { Seen } from "../../../copies/standby/follow/follower.ts";
import { MAX_NOTED_MESSAGES } from "../../../copies/standby/handback.ts";
import type { LeaseRow, Machine, Taken } from "../../../copies/standby/lease/lease.ts";
import type { TakeOver } from "../../../copies/standby/standing.ts";
import { forgetWanted, noteWanted } from "../../../copies/standby/wanted.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { messageKeys } from "../../../reach/notify/outbox/left-behind.ts";
import type { HubConfig } from "../../config/sections.ts";
import { layOut, loadConfigOf } from "../prepare.ts";
import { closeQuietly, type HeldLease, type Next, type OpenedEngine, type Roles } from "./context.ts";
import { hold } from "./obtain-lease.ts";

export interface TakeOverOptions {
  config: HubConfig;
  copy: Copy;
  self: Machine;
  opened: OpenedEngine | undefined;
  seen: Seen;
  other: { id?: string | undefined; address: string };
  reason: TakeOver["reason"];
}

const RETRY_MS = 10_000;
/** Of the history, what is asked for although it should be here: its samples are not wholly in order of time. */
const OVERLAP_MS = 60_000;

/** Answers with the standby's role where it cannot be done now: then it goes on as before. */
export async function takeOver(roles: Roles, options: TakeOverOptions): Promise<Next> {
  const { all, log, clock } = roles;
  try {
    const next = await attempt(roles, options);
    if (next) return next;
  } catch (error) {
    log.error("this machine cannot become the hub", { why: messageOf(error) });
  }
  await Promise.race([sleep(clock, "take over", RETRY_MS), all.stop]);
  return { as: "standby" };
}

async function attempt(roles: Roles, options: TakeOverOptions): Promise<Next | undefined> {
  const { home, log, clock } = roles;
  const { copy, opened, seen, other, reason } = options;
  const begun = clock.mono();
  log.warn("this machine becomes the hub", { reason, copy_secs_old: ageOf(copy, clock.now()) });
  // With a hub.toml that nobody can start with it is of no use.
  const { config } = loadConfigOf(home);
  const flaw = copy.verifyState();
  if (flaw !== undefined) log.error("the copy was damaged", { flaw });
  const status = copy.status();
  if (!status.isComplete) return undefined;
  // A machine that could not note that it is the hub must not take the lease from one that could.
  roles.change({});
  copy.prepareStart();
  const taken = opened && (await take(roles, options, opened));
  if (taken && !taken.ok) {
    log.warn("the lease is another machine's after all", { holder: taken.row.holder.name });
    return undefined;
  }
  const lease = opened && taken && (await hold(roles, config, opened, taken));
  try {
    noteHandback(roles, options, status.historyThrough);
    begin(roles, taken?.epoch ?? Math.max(roles.file.epoch, seen.epoch) + 1);
  } catch (error) {
    // Nobody shall think that there is a hub.
    if (lease) await giveUp(lease, log);
    throw error;
  }
  const tookOver: TakeOver = {
    from: { id: other.id, address: other.address },
    reason,
    copiedAt: status.copiedAt ?? 0,
    historyThrough: status.historyThrough,
    goneSecs: Math.round((clock.mono() - (seen.lastSeenMono ?? begun)) / 1000),
  };
  return { as: "hub", lease, tookOver };
}

/** From here on a start that is interrupted goes on as the hub. */
function begin(roles: Roles, epoch: number): void {
  const { all, home, log } = roles;
  roles.change({ role: "hub", epoch });
  // Where this machine's own hub did not start, it was with another state of the house.
  all.starts.forget();
  try {
    layOut(home, all.io);
  } catch (error) {
    log.error("this failed, and the hub starts without it", { part: "home", message: messageOf(error) });
  }
}

async function giveUp({ leaseHolder }: HeldLease, log: Log): Promise<void> {
  await leaseHolder.giveUp().catch((error: unknown) => {
    log.warn("the lease could not be given up; it ends by itself", { error: messageOf(error) });
  });
  await closeQuietly(log, leaseHolder);
}

function ageOf(copy: Pick<Copy, "status">, now: number): number | null {
  const { copiedAt } = copy.status();
  return copiedAt === undefined ? null : Math.max(0, Math.round((now - copiedAt) / 1000));
}

/** What the other machine may still have when it comes back. Nothing that could keep a hub from starting. */
function noteHandback({ home, log }: Roles, { other, reason, config }: TakeOverOptions, historyThrough: number): void {
  try {
    if (reason === "handed_over") {
      forgetWanted(home);
      return;
    }
    const messages = messageKeys(home.stateDb, MAX_NOTED_MESSAGES) ?? null;
    const historyFrom = config.history.enabled ? Math.max(0, historyThrough - OVERLAP_MS) : null;
    noteWanted(home, { from: other.id ?? null, historyFrom, messages });
  } catch (error) {
    log.error("what the other machine may still have will not be asked for", { error: messageOf(error) });
  }
}

async function take(roles: Roles, { self, reason }: TakeOverOptions, { engine, ttlMs }: OpenedEngine): Promise<Taken> {
  const taken = await engine.take(self, ttlMs, roles.file.epoch);
  if (taken.ok || reason === "gone" || taken.row.leftMs > 0) return taken;
  // A person decides, and nobody has it: it may name another machine, or none.
  const { holder, epoch }: LeaseRow = taken.row;
  await engine.renew({ machine: holder, epoch: epoch + 1, standby: self.id, ttlMs: 0 });
  return engine.take(self, ttlMs, epoch + 1);
}
