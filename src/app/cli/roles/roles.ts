// What this machine is in a house with two of them, one after the other in the same process: the hub, or its standby.
import { readMachine, writeMachine } from "../../../copies/standby/machine.ts";
import { uuid } from "../../../kit/schema/ids.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { HubEnd, HubProcess } from "../serve-hub.ts";
import { createRoles, type Next } from "./context.ts";
import { afterHub, beHub } from "./hub-role.ts";
import { beStandby } from "./standby-role.ts";

/** `left`: how the hub of this process has ended that knew of no other machine when it started. Resolves with the exit code. */
export async function serveRoles(all: HubProcess, left?: Extract<HubEnd, { kind: "left" }>): Promise<number> {
  const { home, io } = all;
  // A second process of this machine would ask for the lease as the first one, and be given it.
  if (!left) borrowHome(home, { waits: true })[Symbol.dispose]();
  let file = readMachine(home);
  if (!file) {
    file = { version: 1, id: uuid(io.platform.random), role: "hub", manual: false, epoch: 0 };
    writeMachine(home, file);
  }
  const roles = createRoles(all, file, left?.port);
  let next: Next = left ? await afterHub(roles, left, undefined) : { as: file.role };
  for (;;) {
    if (next.as === "end") return next.code;
    next = next.as === "hub" ? await beHub(roles, next) : await beStandby(roles);
  }
}
