// What is for the hub of the house alone: in the copy that its standby keeps, nothing may change.
import { isPaired, readMachine } from "../../copies/standby/machine.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";

/** Throws HubError `conflict` on a machine that is the standby; `instead` says what to do there, as the end of a sentence. */
export function assertNoStandby(home: Home, instead: (hub: string) => string): void {
  using _owner = actAsOwner(home);
  const machine = isPaired(home) ? readMachine(home) : undefined;
  if (machine?.role !== "standby") return;
  const hub = machine.other?.address ?? "the hub";
  throw new HubError("conflict", `this machine is the standby of ${hub}: ${instead(hub)}`);
}

/** For what would be replaced by the hub's. */
export function insteadOf(what: "restored" | "moved"): (hub: string) => string {
  return (hub) =>
    `what is ${what} here would give way to the hub's. Do it on the machine of ${hub}, or make this one a hub of its own first, with \`hub standby leave\``;
}
