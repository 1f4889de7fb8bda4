// What is known of a house with two machines, put together for the status, alerts, metrics and events.

import { leaseNodes } from "../../copies/standby/config.ts";
import type { SecondMachine } from "../../copies/standby/source/second-machine.ts";
import type { StandbyStatus, StandbyWatch } from "../../copies/standby/source/status.ts";
import type { TakeOver } from "../../copies/standby/standing.ts";
import type { Variables } from "../../house/state/variables.ts";
import type { VirtualDevices } from "../../house/state/virtual/virtual-devices.ts";
import type { Kept } from "../../kit/lifecycle/kept.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { type Clock, isoSeconds } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { TakenOver, TwoMachines } from "../../server/system/two-machines.ts";
import type { HubOptions } from "./options.ts";

/** It asks every few seconds; a few answers may fail. */
const LOST_SECS = 30;
/** From the end of a route until its answer waits. */
const ANSWERED_MS = 50;

/** Undefined in a house with one machine. Cheap. */
export type TwoMachinesView = () => TwoMachines | undefined;

export function viewTwoMachines(
  options: Pick<HubOptions, "config" | "standing" | "platform">,
  standby: StandbyWatch,
): TwoMachinesView {
  const { config, platform } = options;
  const { lease } = config.standby;
  const shownLease = lease === undefined ? null : leaseNodes(lease).join(",");
  const took = options.standing?.tookOver;
  const tookOver = took && takenOver(took, platform.clock.now());
  return function view() {
    const { standing } = options;
    const machine = standby.status();
    if (!standing && !machine) return undefined;
    const leaseHolder = standing?.leaseHolder;
    return {
      role: "hub",
      epoch: standing?.epoch ?? null,
      lease: leaseHolder ? shownLease : null,
      held: leaseHolder?.isHeld ?? true,
      trouble: leaseHolder?.trouble ?? null,
      acknowledge: config.standby.acknowledge,
      machine: machine ? otherMachine(machine) : null,
      took_over: tookOver ?? null,
    };
  };
}

/** For what would change this machine's house: see `AppDeps.assertHub`. What the other machine has is the house by then. */
export function hubAssertion({ fence }: Pick<HubOptions, "fence">, standby: StandbyWatch): () => void {
  return function assertHub() {
    const why = fence?.closed;
    if (why === undefined) return;
    const { name = "", address = "" } = standby.status()?.machine ?? {};
    const other = [name, address].filter((part) => part !== "").join(", ");
    const where = other && `; the other machine is ${other}`;
    throw new HubError("unavailable", `${why}; nothing was changed${where}`, {
      details: address === "" ? {} : { hub: address },
    });
  };
}

/** Undefined where nobody waits for the other machine. */
export function keptBy(
  { config: { standby } }: Pick<HubOptions, "config">,
  {
    virtual,
    variables,
    secondMachine,
  }: {
    virtual: Pick<VirtualDevices, "commanded">;
    variables: Pick<Variables, "written" | "flush">;
    secondMachine: Pick<SecondMachine, "confirmed" | "status">;
  },
): Kept | undefined {
  if (standby.acknowledge === "local") return undefined;
  /** What `changed` was when the other machine last had all, and when it last had not. */
  let sure = 0;
  let missed = 0;
  let waiting: { changes: number; done: Promise<void> } | undefined;
  const changed = (): number => virtual.commanded() + variables.written();

  async function confirmed(): Promise<string | undefined> {
    const now = changed();
    // Only what is on this machine's disk can be on the other one's.
    variables.flush();
    const problem = await secondMachine.confirmed();
    if (problem === undefined) sure = Math.max(sure, now);
    else missed = Math.max(missed, now);
    return problem;
  }

  /** Each change is waited for, and counted as missed, once, however much waits for it. */
  function wait(): Promise<void> | undefined {
    const changes = changed();
    if (changes === sure) return undefined;
    if (waiting?.changes === changes) return waiting.done;
    const machine = secondMachine.status();
    if (!machine || (changes === missed && !machine.isConfirming)) return undefined;
    const own = { changes, done: confirmed().then(end, end) };
    function end(): void {
      if (waiting === own) waiting = undefined;
    }
    waiting = own;
    return own.done;
  }

  return { commanded: virtual.commanded, changed, confirmed, wait };
}

/** A restart that leaves those who changed something the time for their answers. */
export function restartAfter(kept: Kept | undefined, { clock, log }: { clock: Clock; log: Log }, restart: () => void) {
  if (!kept) return restart;
  const wait = (): void => background(log, "restart", kept.confirmed().then(restart));
  return () => void clock.after("restart", ANSWERED_MS, wait);
}

function otherMachine(status: StandbyStatus): TwoMachines["machine"] {
  const { machine, manual, version, lastSeenSecs, isWhole, behindSecs, historyFrom, problem } = status;
  const { isConfirming, unconfirmed } = status;
  return {
    ...{ name: machine.name, address: machine.address, manual, version: version ?? null, whole: isWhole },
    heard_secs: lastSeenSecs === undefined ? null : Math.floor(lastSeenSecs),
    behind_secs: behindSecs === undefined ? null : Math.floor(behindSecs),
    history_until: historyFrom === undefined ? null : isoSeconds(historyFrom),
    problem: problem ?? null,
    ...{ confirms: isConfirming ?? null, unconfirmed },
  };
}

/** The other machine may have been the hub, unseen by this one, until the very end. */
function takenOver({ from, reason, copiedAt, historyThrough, goneSecs }: TakeOver, now: number): TakenOver {
  const lostSecs = reason === "handed_over" ? 0 : Math.ceil((now - copiedAt) / 1000);
  return {
    ...{ at: isoSeconds(now), from: from.address, reason },
    ...{ copied_at: isoSeconds(copiedAt), history_until: isoSeconds(historyThrough) },
    ...{ lost_secs: Math.max(0, lostSecs), gone_secs: Math.max(0, Math.round(goneSecs)) },
  };
}

export function tookOverEvent(seen: TwoMachines | undefined): HubEvent | undefined {
  if (!seen?.took_over) return undefined;
  const { at: _, ...what } = seen.took_over;
  return { type: "system_took_over", ...what, epoch: seen.epoch ?? 0 };
}

/** The view for alerts, which also reports a standby that comes and goes. */
export function watchedMachines(view: TwoMachinesView, emit: (event: HubEvent) => void): () => TwoMachines | undefined {
  let present: string | undefined;
  return function look() {
    const seen = view();
    const machine = seen?.machine;
    const isConnected = typeof machine?.heard_secs === "number" && machine.heard_secs < LOST_SECS;
    if (machine && isConnected && present !== machine.name) {
      present = machine.name;
      const { name, address, manual, version } = machine;
      emit({ type: "standby_connected", name, address, manual, version: version ?? "" });
    } else if (present !== undefined && !isConnected) {
      emit({ type: "standby_lost", name: present, silent_secs: machine?.heard_secs ?? LOST_SECS });
      present = undefined;
    }
    return seen;
  };
}
