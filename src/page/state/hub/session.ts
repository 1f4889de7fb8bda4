// Who is signed in here: in all windows of this browser the same.
import { batch, computed, signal } from "@preact/signals";
import { load, save } from "../../browser/storage.ts";

export type Role = "admin" | "user" | "viewer";

/** What the hub answers to a login, and when this browser got it. */
export interface Session {
  token: string;
  /** Seconds; absent in what an older page kept. */
  expires_in?: number;
  user: { id: string; username: string; role: Role };
  /** Epoch ms. */
  gotAt?: number;
}

const ROLES: readonly Role[] = ["viewer", "user", "admin"];
const KEY = "session";
/** Says to other windows why there is no session any more. */
const WHY = "signed_out";

export const session = signal<Session | undefined>(load<Session>(KEY));
/** Why somebody has to sign in again. */
export const signedOutBecause = signal<"expired" | undefined>(undefined);

/**
 * For whom the views are drawn. They stay as they are when the session expires, beneath the sign-in, so that what was typed is
 * there afterwards.
 */
export const person = signal(session.peek()?.user);
/** Their id. */
export const viewsOf = computed(() => person.value?.id);

let isLeaving = false;

/** The person signs out: that the hub refuses the token from now on is what they want. */
export function beginLeaving(): void {
  isLeaving = true;
}

export function setSession(next: Session | undefined): void {
  isLeaving = false;
  const kept = next && { gotAt: Date.now(), ...next };
  save(WHY, undefined);
  save(KEY, kept);
  change(kept, undefined);
}

function change(next: Session | undefined, because: "expired" | undefined): void {
  batch(() => {
    signedOutBecause.value = because;
    session.value = next;
    if (because === undefined) person.value = next?.user;
  });
}

/** The hub no longer takes the token. What was typed stays where it is: the view comes back after signing in. */
export function sessionExpired(): void {
  if (!session.value || isLeaving) return;
  save(WHY, "expired");
  save(KEY, undefined);
  change(undefined, "expired");
}

/** Another window may have signed in or out, or renewed the session. */
export function followOtherWindows(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key !== `hub.${KEY}` && key !== null) return;
    const theirs = load<Session>(KEY);
    if (theirs?.token === session.value?.token) return;
    change(theirs, theirs ? undefined : load<"expired">(WHY));
  });
}

export function allows(role: Role): boolean {
  const mine = person.value?.role;
  return mine !== undefined && ROLES.indexOf(mine) >= ROLES.indexOf(role);
}
