// Follows the hub until something decides that this machine is to be it, or until hub.toml of the copy says something else.
import { readFileSync } from "node:fs";
import type { Copy } from "../../../copies/standby/copy/copy.ts";
import { startFollowing } from "../../../copies/standby/follow/follower.ts";
import { createHandbackSender, type ReadLeftMessages } from "../../../copies/standby/follow/send-handback.ts";
import type { Machine } from "../../../copies/standby/lease/lease.ts";
import type { LeaseWatch } from "../../../copies/standby/lease/watch.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { readLeftMessages } from "../../../reach/notify/outbox/left-behind.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { HubConfig } from "../../config/sections.ts";
import { hubVersion } from "../version.ts";
import { configTrouble } from "./config.ts";
import { closeQuietly, type Next, type OpenedEngine, openEngine, type Roles } from "./context.ts";
import { askAt, type OtherIs } from "./other.ts";
import { promote } from "./promote.ts";
import type { StandbyControl } from "./standby-control.ts";
import { takeOver } from "./take-over.ts";

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

interface Parts {
  copy: Copy;
  control: StandbyControl;
}

const MAX_MESSAGES = 1000;
const readMessages: ReadLeftMessages = (stateDb, isWanted, after) =>
  readLeftMessages(stateDb, isWanted, MAX_MESSAGES, after);

export async function followOnce(roles: Roles, config: HubConfig, { copy, control }: Parts): Promise<Next | "again"> {
  const { all, home, log, clock } = roles;
  const self = roles.self(config);
  const other = roles.other();
  if (!other) return { as: "end", code: 1 };
  const opened = await tryEngine(roles, config, control);
  const lease = opened && (await watch(roles, opened, self, onReading));
  const isManual = roles.file.manual || !lease;
  const changed = Promise.withResolvers<void>();
  const text = textOf(home);
  const unusable = copy.status().isComplete ? configTrouble(home) : undefined;
  const follower = startFollowing({
    ...{ hub: other, copy, lease, clock, log },
    machine: () => self,
    openLink: (address) => roles.link(config, address),
    ...{ isManual, promiseMs: opened?.ttlMs ?? 0 },
    ...{ version: hubVersion, epoch: roles.file.epoch },
    handback: createHandbackSender({ home, machine: self.id, clock, log, readMessages }),
    onApplied({ isComplete }) {
      noteWhere();
      if (isComplete && textOf(home) !== text) changed.resolve();
    },
  });
  const verifying = verifyOften(roles, copy);
  control.trouble ??= unusable;
  const whyNot = (): string | undefined => unusable ?? follower.whyNot();
  control.following = {
    ...{ self, copy, follower, lease, isManual, whyNot },
    promote(force) {
      const copyAge = (): number | undefined => control.present().behindSecs;
      return promote({ follower, ask, copyAge, lease, selfId: self.id, unusable }, force);
    },
  };

  function ask(address: string): Promise<OtherIs> {
    return askAt(roles.link(config, address), roles.other()?.key ?? "");
  }

  /** Where this machine finds the hub when it starts next time. */
  function noteWhere(): void {
    const { address, epoch } = follower.seen;
    if (roles.file.other?.address === address && roles.file.epoch === epoch) return;
    roles.change({ epoch, other: { ...other, ...roles.file.other, address, key: other?.key ?? "" } });
  }

  function onReading(): void {
    const row = lease?.row;
    if (row && row.holder.id !== self.id && follower.problem !== undefined) tryAddress(row.holder.address);
    if (!isManual && !follower.seen.handingOver && whyNot() === undefined) follower.end("gone");
  }

  /** The hub's own words for where it is, and a person's: one may be right where the other is not. */
  function tryAddress(address: string): void {
    const { seen } = follower;
    follower.moveTo(seen.address === address && other ? other.address : address);
  }

  let next: Next | undefined;
  try {
    const why = await Promise.race([all.stop.then(() => "stop" as const), changed.promise, follower.over]);
    control.following = undefined;
    await follower[Symbol.asyncDispose]();
    await verifying[Symbol.asyncDispose]();
    if (why === "stop") {
      all.supervision.stopping();
      return { as: "end", code: 0 };
    }
    if (why === undefined) return "again";
    next = await takeOver(roles, { config, copy, self, opened, seen: follower.seen, other, reason: why });
    return next;
  } finally {
    control.following = undefined;
    await verifying[Symbol.asyncDispose]();
    await follower[Symbol.asyncDispose]();
    await closeQuietly(log, lease);
    if (next?.as !== "hub") await closeQuietly(log, opened?.engine);
  }
}

/** Without the engine this machine goes on copying. */
async function tryEngine(roles: Roles, config: HubConfig, control: StandbyControl): Promise<OpenedEngine | undefined> {
  control.trouble = undefined;
  try {
    const opened = await openEngine(roles, config);
    if (!opened && roles.file.epoch > 0 && !roles.file.manual)
      control.trouble = "the hub's hub.toml names no lease in [standby], so only a person makes this machine the hub";
    return opened;
  } catch (error) {
    control.trouble = messageOf(error);
    roles.log.error("the lease cannot be used, so this machine does not take over by itself", {
      error: control.trouble,
    });
    return undefined;
  }
}

async function watch(
  { clock, log, file }: Roles,
  { engine, ttlMs }: OpenedEngine,
  machine: Machine,
  onReading: () => void,
): Promise<LeaseWatch> {
  const { watchLease } = await import("../../../copies/standby/lease/watch.ts");
  return watchLease({ engine, machine, ttlMs, knownEpoch: file.epoch, clock, log, onReading });
}

function textOf({ hubToml }: Home): string | undefined {
  try {
    return readFileSync(hubToml, "utf8");
  } catch {
    return undefined;
  }
}

/** When it is disposed of, nobody reads the copy any more. */
function verifyOften({ clock, log }: Pick<Roles, "clock" | "log">, copy: Pick<Copy, "verify">): AsyncDisposable {
  const ended = new AbortController();
  const { signal } = ended;

  async function verify(): Promise<void> {
    for (let pauseMs = FIRST_MS; await sleep(clock, "verify the copy", pauseMs, signal); pauseMs = EVERY_MS) {
      try {
        const flaw = await copy.verify(signal);
        if (flaw !== undefined) log.error("the copy was damaged; it is made anew", { flaw });
      } catch (error) {
        log.warn("the copy cannot be verified", { why: messageOf(error) });
      }
    }
  }

  const verifying = verify();
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await verifying;
    },
  };
}
