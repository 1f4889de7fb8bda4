// Who is signed in here.
import { signal } from "@preact/signals";
import { load, save } from "./storage.ts";

export type Role = "admin" | "user" | "viewer";

export interface Session {
  token: string;
  user: { id: string; username: string; role: Role };
}

const ROLES: readonly Role[] = ["viewer", "user", "admin"];

export const session = signal<Session | undefined>(load<Session>("session"));
/** Why somebody has to sign in again. */
export const signedOutBecause = signal<"expired" | undefined>(undefined);

export function setSession(next: Session | undefined): void {
  session.value = next;
  save("session", next);
  if (next) signedOutBecause.value = undefined;
}

/** The hub no longer takes the token. What was typed stays where it is: the view comes back after signing in. */
export function sessionExpired(): void {
  if (!session.value) return;
  signedOutBecause.value = "expired";
  setSession(undefined);
}

export function allows(role: Role): boolean {
  const mine = session.value?.user.role;
  return mine !== undefined && ROLES.indexOf(mine) >= ROLES.indexOf(role);
}
