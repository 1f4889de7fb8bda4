// Whether something may be done now: the hub is reached, and the role suffices.
import { connection } from "./live.ts";
import { allows, type Role } from "./session.ts";

export function canAct(role: Role): boolean {
  return connection.value.state === "live" && allows(role);
}

/** What is read for administrators alone: others are refused, without asking the hub. */
export function forAdmins(path: string): string | undefined {
  return allows("admin") ? path : undefined;
}
