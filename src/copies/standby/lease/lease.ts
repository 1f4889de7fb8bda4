// The lease as its engine keeps it: which of the machines of a house is its hub, for how long, and for the how manieth time that
// changed. The engine's own clock counts, so those of the machines may differ.

export interface Machine {
  /** Random, made once on each machine, and never copied with the house. */
  readonly id: string;
  /** For people: the host's name. */
  readonly name: string;
  /** Where the other machine reaches this one: `http://192.168.1.20:8080`. */
  readonly address: string;
}

export interface LeaseRow {
  readonly holder: Machine;
  /** Grows with each change of the holder, and each time that a holder takes it anew. */
  readonly epoch: number;
  /** The id of the only other machine that may take it; undefined: none may. */
  readonly standby: string | undefined;
  /**
   * Until it ends; 0 where it has ended or was given up. Never too short, but too long from a connection to NATS that was just opened:
   * it counts from its first sight.
   */
  readonly leftMs: number;
}

export type Taken = TakenLease | { readonly ok: false; readonly row: LeaseRow };

export interface TakenLease {
  readonly ok: true;
  readonly epoch: number;
  /** Who is named in it since before. Not there where the engine did not say: then it may be anybody. */
  readonly standby?: string | undefined;
  /** This machine's monotonic clock before the engine was asked; where it is not there, the lease counts from its first renewal. */
  readonly askedAt?: number;
}

/**
 * A connection to the engine. Everything rejects with HubError: `unavailable` where the engine does not answer within a bound (two
 * seconds, less for short leases), `config` where a person must mend something. What was asked may then have happened, or happen later.
 */
export interface LeaseEngine extends AsyncDisposable {
  /** For people, without secrets. */
  readonly url: string;
  /** Undefined where no machine ever took it. */
  read(): Promise<LeaseRow | undefined>;
  /**
   * Takes it for `ttlMs`, with the next epoch, in one step: where nobody ever had it, where it is this machine's, or where it has ended
   * and names this machine as the standby. `known`: the last epoch that this machine knows of. An engine that knows less has lost its
   * row (an empty disk): whoever has the lease writes it anew, so others get `unavailable` until they have seen it so for `ttlMs`.
   */
  take(machine: Machine, ttlMs: number, known?: number): Promise<Taken>;
  /**
   * Keeps it for `ttlMs` from now on, and says which machine is the standby; makes a row anew that the engine has lost. False where it
   * is no longer this machine's in this epoch.
   */
  renew(held: { machine: Machine; epoch: number; standby: string | undefined; ttlMs: number }): Promise<boolean>;
  /** Ends it at once, so that the standby need not wait. Nothing where it is no longer this machine's. */
  giveUp(held: { machine: Machine; epoch: number }): Promise<void>;
}

/** The lease while this machine has it: kept by renewing, or by the promise of the standby where the engine is gone. */
export interface LeaseHolder extends AsyncDisposable {
  readonly epoch: number;
  /** Whether the hub may command the house now. Counted by this machine's monotonic clock, from before the engine was asked. */
  readonly isHeld: boolean;
  /** Resolves when it is lost, with the reason for people; never rejects. */
  readonly lost: Promise<string>;
  /** Why it cannot be renewed now; undefined where it can. */
  readonly trouble: string | undefined;
  /** The machine that may take over; saved in the engine with the next renewal, which is waited for. Rejects as the engine does. */
  nameStandby(id: string | undefined): Promise<void>;
  readonly standby: string | undefined;
  /**
   * The standby said that it does not take over before this moment of this machine's monotonic clock. It counts only while the
   * engine, too, names it as the standby.
   */
  promised(by: string, untilMono: number): void;
  /** Gives the lease up; `isHeld` is false from now on. */
  giveUp(): Promise<void>;
}
