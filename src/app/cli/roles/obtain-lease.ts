// Takes the lease for a machine that is to be the hub, however long that takes: until then a page says why there is no hub.
import type { LeaseRow, TakenLease } from "../../../copies/standby/lease/lease.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import type { HubConfig } from "../../config/sections.ts";
import { closeQuietly, type HeldLease, type Next, type OpenedEngine, openEngine, type Roles } from "./context.ts";
import { lineOf, type Present } from "./present.ts";
import { openRoleServer, type RoleServer } from "./server.ts";

const RETRY_MS = 1000;
/** For the standby to see that the lease has ended, and to take it. */
const TAKING_MS = 3000;

/** `isBeaten`: another machine has, or may have, taken it; so the engine must be asked before anything else. Throws HubError `config`. */
export async function obtainLease(roles: Roles, config: HubConfig, isBeaten: boolean): Promise<HeldLease | Next> {
  const { all, log, clock } = roles;
  const opened = await openEngine(roles, config);
  if (!opened) throw new HubError("config", "hub.toml names no lease in [standby]");
  const { engine, ttlMs } = opened;
  const machine = roles.self(config);
  const mayGoAlone = config.standby.when_alone === "continue" && !isBeaten;
  // A hub that can only make a safe start, without rules, leaves the house to the standby, if that wants it.
  const leavesUntil = all.starts.safe && roles.key() !== undefined ? clock.mono() + 2 * ttlMs + TAKING_MS : 0;
  const waiting: Present = { role: "waiting", hub: undefined, behindSecs: undefined, problem: undefined };
  const ended = new AbortController();
  void all.stop.then(() => ended.abort());
  let server: RoleServer | undefined;
  let said: string | undefined;

  function wait(problem: string, row?: LeaseRow): void {
    waiting.problem = problem;
    waiting.hub = row && { name: row.holder.name, address: row.holder.address };
    if (problem === said) return;
    said = problem;
    log.warn("this machine is not the hub yet", { why: problem });
    server ??= openRoleServer(roles, config.server, { present: () => waiting });
    all.present({ summary: () => lineOf(waiting), isWell: async () => true });
  }

  async function attempt(): Promise<HeldLease | Next | undefined> {
    try {
      if (clock.mono() < leavesUntil && (await leaves())) return undefined;
      const taken = await engine.take(machine, ttlMs, roles.file.epoch);
      if (taken.ok) return hold(roles, config, opened as OpenedEngine, taken);
      const key = roles.key();
      if (key !== undefined) return standbyOf(roles, taken.row, key);
      wait(
        `${taken.row.holder.name} (${taken.row.holder.address}) has the lease of "${config.standby.house}", and this machine was never paired with it: run \`hub standby --of ${taken.row.holder.address}\` here, or set another [standby] house`,
        taken.row,
      );
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const why = `the lease cannot be taken: ${messageOf(error)}`;
      if (mayGoAlone) {
        log.warn("the hub starts without the lease, as [standby] when_alone says", { why });
        return hold(roles, config, opened as OpenedEngine, { ok: true, epoch: Math.max(1, roles.file.epoch) });
      }
      wait(why);
    }
    return undefined;
  }

  async function leaves(): Promise<boolean> {
    const row = await engine.read();
    if (row && row.holder.id !== machine.id && row.leftMs > 0) return false;
    wait("its last starts have failed: first the standby may take over; otherwise this machine makes a safe start");
    return true;
  }

  let found: HeldLease | Next | undefined;
  try {
    while (!found && !ended.signal.aborted) {
      found = await attempt();
      if (!found) await sleep(clock, "lease", RETRY_MS, ended.signal);
    }
    return found ?? { as: "end", code: 0 };
  } finally {
    await server?.[Symbol.asyncDispose]();
    if (!found || "as" in found) await closeQuietly(log, engine);
  }
}

export async function hold(
  { log, clock, self }: Roles,
  config: HubConfig,
  { engine, ttlMs }: OpenedEngine,
  taken: TakenLease,
): Promise<HeldLease> {
  const { createLeaseHolder } = await import("../../../copies/standby/lease/lease-holder.ts");
  const whenAlone = config.standby.when_alone;
  const leaseHolder = createLeaseHolder({ engine, machine: self(config), taken, ttlMs, clock, log, whenAlone });
  log.info("this machine has the lease", { engine: engine.url, epoch: taken.epoch });
  return { engine, leaseHolder };
}

function standbyOf(roles: Roles, { holder, epoch }: LeaseRow, key: string): Next {
  roles.log.warn("another machine is the hub by now, so this one is its standby", {
    hub: holder.name,
    address: holder.address,
    epoch,
  });
  return roles.becomeStandby({ ...roles.file.other, id: holder.id, address: holder.address, key });
}
