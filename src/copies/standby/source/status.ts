// What the hub knows of its standby, for the status, alerts and metrics.

export interface StandbyStatus {
  readonly machine: { readonly id: string; readonly name: string; readonly address: string };
  /** Only a person makes it the hub. */
  readonly manual: boolean;
  /** Of its hub; undefined until it was seen. */
  readonly version: string | undefined;
  /** How long it was not seen; undefined where it was not since this hub started. */
  readonly lastSeenSecs: number | undefined;
  /** Whether it said that it has a whole copy, since this hub started. */
  readonly isWhole: boolean;
  /** Of how long ago its last whole copy is; undefined where there is none. */
  readonly behindSecs: number | undefined;
  /** Epoch ms: it has asked for the history from then on, so it has what is before; undefined where it has not asked yet. */
  readonly historyFrom: number | undefined;
  /** What keeps its copy from being made, as it said last, for people. */
  readonly problem: string | undefined;
  /** Whether it confirms what is changed, in time; undefined where nobody waits for that: see `[standby] acknowledge`. */
  readonly isConfirming: boolean | undefined;
  /** How many changes it did not confirm in time, since this hub started. */
  readonly unconfirmed: number;
}

export interface StandbyWatch {
  /** Undefined where no machine is paired. */
  status(): StandbyStatus | undefined;
}
