// The house's second machine as the hub sees it: pairs it, answers what it asks, holds it to its promises, and hands over to it.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Meta } from "../../../server/db/meta.ts";
import type { LeaseHolder } from "../lease/lease.ts";
import type { HistoryRequest, StandbyMachine, SyncRequest } from "../protocol.ts";
import type { Standing } from "../standing.ts";
import type { SourceClient } from "./client.ts";
import { createConfirmations } from "./confirmations.ts";
import { createPairing } from "./pairing.ts";
import { createPresence } from "./presence.ts";
import type { StandbyStatus, StandbyWatch } from "./status.ts";
import type { Handback } from "./take-handback.ts";

export interface SecondMachine extends StandbyWatch, Disposable {
  /**
   * Makes a machine the standby, and returns its key. Throws HubError `conflict` where another one was seen just now, unless it is
   * to be replaced, and where it is this machine itself.
   */
  pair(machine: StandbyMachine, replace: boolean): string;
  /** Throws HubError `unauthenticated` unless this is the standby's key. */
  check(key: string | undefined): void;
  /** See SourceClient; throws HubError `conflict` where another machine uses the key. */
  sync(request: SyncRequest): Promise<Uint8Array<ArrayBuffer>>;
  history(request: HistoryRequest): Promise<Uint8Array<ArrayBuffer>>;
  /** See Handback. */
  handback: Handback["take"];
  /** Throws HubError `conflict` that says why it cannot be now; else this hub stops soon. */
  handOver(): void;
  /** Does nothing where there is none. */
  forget(): void;
  /** See `BeginHead`. */
  epoch(): number;
  /** See `[standby] acknowledge`. Resolves when the standby has all that is on the disk here now; with a sentence where it has not. */
  confirmed(): Promise<string | undefined>;
}

export interface SecondMachineOptions {
  meta: Meta;
  random: RandomBytes;
  clock: Clock;
  log: Pick<Log, "info" | "warn">;
  /** Undefined until the hub has started again that was paired while it ran. */
  standing: () => Standing | undefined;
  /** When a change is answered. */
  acknowledge: "local" | "standby";
  source: () => Pick<SourceClient, "sync" | "history">;
  /** Loaded when a machine asks. */
  handback: () => Handback;
  /** Nothing is wanted of a machine that pairs anew: it has nothing of this house. */
  forgetWanted(): void;
  /** This machine's id, where it has one. */
  own: () => string | undefined;
  /** See `BeginHead`. */
  epoch: () => number;
  /** What this machine notes outside of the copy: which machine is the other one, with its key. May throw. */
  noteOther(other: (StandbyMachine & { key: string }) | undefined): void;
}

/** So long a standby that is no longer seen keeps another one out. */
const SEEN_MS = 60_000;
/** A standby asks every few seconds. */
const READY_MS = 15_000;

export function createSecondMachine(options: SecondMachineOptions): SecondMachine {
  const { log, own, epoch } = options;
  const pairing = createPairing(options);
  const confirmations = options.acknowledge === "standby" ? createConfirmations(options.clock) : undefined;
  const presence = createPresence(options);
  const naming = createNaming({ ...options, leaseHolder: options.standing()?.leaseHolder });
  const name = ({ id, manual }: StandbyMachine): void => naming.name(manual ? undefined : id);

  /** Throws where another machine was seen just now. */
  function refuseAnother(id: string, mend: string): void {
    const last = presence.last();
    if (last && last.id !== id && last.ageMs < SEEN_MS)
      throw new HubError("conflict", `this house has a standby already, which was heard just now: ${mend}`);
  }

  /** A disk that is full must not keep the copy from being made. */
  function noteNew(machine: StandbyMachine): void {
    try {
      if (pairing.saw(machine)) options.noteOther({ ...machine, key: pairing.key() });
    } catch (error) {
      log.warn("what is new of the standby cannot be stored", { name: machine.name, error: messageOf(error) });
    }
  }

  function status(): StandbyStatus | undefined {
    const machine = pairing.machine();
    if (!machine) return undefined;
    const { id, name, address, manual = false } = machine;
    const { isConfirming, unconfirmed = 0 } = confirmations ?? {};
    return { machine: { id, name, address }, manual, ...presence.status(), isConfirming, unconfirmed };
  }

  return {
    status,
    epoch,
    check: pairing.check,
    pair(machine, replace) {
      if (machine.id === own())
        throw new HubError("conflict", "a machine cannot be its own standby: name the address of the other one");
      if (!replace) refuseAnother(machine.id, "stop that one, or pair with --replace");
      const key = pairing.pair(machine);
      options.noteOther({ ...machine, key });
      options.forgetWanted();
      presence.forget();
      name(machine);
      log.info("a standby was paired", { name: machine.name, address: machine.address });
      return key;
    },
    async sync(request) {
      const { machine } = request;
      refuseAnother(machine.id, "two machines have the same key; pair the right one again");
      noteNew(machine);
      name(machine);
      const until = presence.received(request);
      if (until !== undefined) options.standing()?.leaseHolder?.promised(machine.id, until);
      await confirmations?.ready(request);
      const turn = presence.nextTurn();
      const isUrgent = confirmations?.begin(turn) === true;
      const mark = { turn, epoch: epoch(), ...(confirmations && { holds: true }) };
      const { bytes, isLast } = await options.source().sync(request, mark, { isUrgent });
      presence.sent(turn, isLast);
      return bytes;
    },
    history(request) {
      presence.askedHistory(request.from);
      return options.source().history(request);
    },
    handback: (request) => options.handback().take(request),
    handOver() {
      const standing = options.standing();
      const problem = handOverProblem(standing, status());
      if (!standing || problem !== undefined) throw new HubError("conflict", problem ?? "");
      standing.handOver();
    },
    async confirmed() {
      const machine = confirmations && pairing.machine();
      if (!machine || (await confirmations.reached())) return undefined;
      return whyUnconfirmed(machine, presence.status());
    },
    forget() {
      pairing.forget();
      confirmations?.release();
      presence.forget();
      options.noteOther(undefined);
      naming.name(undefined);
    },
    [Symbol.dispose]() {
      confirmations?.[Symbol.dispose]();
      naming[Symbol.dispose]();
    },
  };
}

function whyUnconfirmed(
  { name }: StandbyMachine,
  { lastSeenSecs, problem }: Pick<StandbyStatus, "lastSeenSecs" | "problem">,
) {
  const silent = lastSeenSecs === undefined ? "was not heard yet" : `was heard ${Math.round(lastSeenSecs)} s ago`;
  return `it is done and kept here, so do not repeat it, but the other machine (${name}) has not confirmed it yet: ${problem ?? `it ${silent}`}`;
}

function handOverProblem(standing: Standing | undefined, standby: StandbyStatus | undefined): string | undefined {
  if (!standby) return "there is no standby: run `hub standby --of URL` on the second machine first";
  if (!standing) return "the hub starts again, as it has just been paired: try again in some seconds";
  const { lastSeenSecs, isWhole, machine } = standby;
  if (lastSeenSecs === undefined || lastSeenSecs * 1000 > READY_MS)
    return `the standby ${machine.name} is not heard: see that \`hub standby\` runs there, and that it reaches this hub`;
  return isWhole
    ? undefined
    : `the copy of ${machine.name} is not whole yet: try again when \`hub standby status\` says so`;
}

interface Naming extends Disposable {
  /** The machine's id; undefined: none may. Where the engine cannot be reached, it is tried again. */
  name(id: string | undefined): void;
}

interface NamingOptions {
  leaseHolder: Pick<LeaseHolder, "nameStandby" | "standby"> | undefined;
  clock: Pick<Clock, "after">;
  log: Pick<Log, "warn">;
}

const RETRY_MS = 5000;

/** Keeps the lease's word on which machine may take over. */
function createNaming({ leaseHolder, clock, log }: NamingOptions): Naming {
  let wanted: string | undefined;
  let isNaming = false;
  let isEnded = false;
  let again: Timer | undefined;
  let failed = false;

  async function publish(): Promise<void> {
    if (!leaseHolder || isNaming || isEnded || leaseHolder.standby === wanted) return;
    isNaming = true;
    again?.[Symbol.dispose]();
    try {
      await leaseHolder.nameStandby(wanted);
      failed = false;
    } catch (error) {
      if (!failed) log.warn("the lease does not name the standby yet; it is tried again", { error: messageOf(error) });
      failed = true;
    } finally {
      isNaming = false;
    }
    if (leaseHolder.standby !== wanted && !isEnded) again = clock.after("standby-name", RETRY_MS, () => void publish());
  }

  return {
    name(id) {
      wanted = id;
      void publish();
    },
    [Symbol.dispose]() {
      isEnded = true;
      again?.[Symbol.dispose]();
    },
  };
}
