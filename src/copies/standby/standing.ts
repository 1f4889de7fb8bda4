// What a running hub knows of its own place in a house with two machines. A hub without a lease that was never paired has none.
import type { LeaseHolder, Machine } from "./lease/lease.ts";

export interface Standing {
  readonly machine: Machine;
  /** Undefined where a person decides which machine is the hub. */
  readonly leaseHolder: LeaseHolder | undefined;
  /** The lease's, or how often a person has made another machine the hub. */
  readonly epoch: number;
  /** Resolves with the reason when another machine is the hub, or may be. */
  readonly lost: Promise<string>;
  /** Set where this machine has just taken over: what was lost with the other one. */
  readonly tookOver: TakeOver | undefined;
  /**
   * Stops this hub, lets the standby copy what is left, and gives the lease up; then this machine is the standby. Throws HubError
   * `conflict` while the lease's engine does not answer.
   */
  handOver(): void;
  /** The lease is lost: stops this hub, which goes on as the standby. */
  stepDown(reason: string): void;
}

export interface TakeOver {
  /** The machine that was the hub before. */
  readonly from: { readonly id: string | undefined; readonly address: string };
  /** Why: the other one handed over, is gone, or a person said so. */
  readonly reason: "handed_over" | "gone" | "promoted";
  /** Epoch ms, this machine's clock: of when the copy of settings and states is. */
  readonly copiedAt: number;
  /** Epoch ms, the other machine's clock: the history is complete before. */
  readonly historyThrough: number;
  /** How long nobody was the hub, as far as this machine knows. */
  readonly goneSecs: number;
}
