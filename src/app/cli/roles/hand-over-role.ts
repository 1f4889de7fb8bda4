// The hub has stopped so that the other machine be it: that one copies what is left, then the lease is given up.
import { openHandOver } from "../../../copies/standby/follow/hand-over.ts";
import { createSourceClient, sourceWorker } from "../../../copies/standby/source/client.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import { hubVersion } from "../version.ts";
import { copiedConfig } from "./config.ts";
import { closeQuietly, type HeldLease, type Next, type Roles } from "./context.ts";
import { askOther } from "./other.ts";
import { lineOf, type Present } from "./present.ts";
import { openRoleServer } from "./server.ts";

const WITHIN_MS = 60_000;
/** Until the other machine's hub is up: an answer that it lost on the way is given again. */
const AFTERWARDS_MS = 30_000;
const ASK_EVERY_MS = 500;

export async function handOver(roles: Roles, lease: HeldLease | undefined): Promise<Next> {
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
