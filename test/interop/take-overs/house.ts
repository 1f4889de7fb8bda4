// What the rounds of both kinds have in common: two machines, one of which may take over from the other.
import type { Side } from "../../support/two-machines.ts";
import { until } from "../../support/wait.ts";

export interface Machines {
  hub: Side;
  standby: Side;
}

export interface Round {
  /** What was done to the hub. */
  end: string;
  acknowledged: number;
  refused: ReadonlyMap<number, number>;
  /** Acknowledged, and not there afterwards. */
  lost: string[];
  /** Done by the former hub when there was the new one. */
  late: string[];
}

export interface House {
  /** The next take-over; then `standby` is the hub, and `hub` its standby again. */
  round(machines: Machines, number: number): Promise<Round>;
}

/** Switched by people at the first machine, and at the second one. */
export const MODES = ["away", "guests"] as const;

/** It confirms what is changed, and takes over when the hub is gone. */
export async function isReady({ hub, standby }: Machines, hasLease: boolean): Promise<void> {
  await until(
    "it confirms",
    async () => (await hub.process.request("PUT", "/variables/x", { body: { value: 1 } })).status === 200,
  );
  if (hasLease)
    await until("the lease names it", async () => (await standby.look())?.takes_over?.includes("has the lease"));
}
