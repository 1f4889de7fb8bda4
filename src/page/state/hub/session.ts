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

export function createSession() {
  const session = signal<Session | undefined>(load<Session>(KEY));
  /** Why somebody has to sign in again. */
  const signedOutBecause = signal<"expired" | undefined>(undefined);
  /**
   * For whom the views are drawn. They stay as they are when the session expires, beneath the sign-in, so that what was typed is
   * there afterwards.
   */
  const person = signal(session.peek()?.user);
  let isLeaving = false;

  function change(next: Session | undefined, because: "expired" | undefined): void {
    batch(() => {
      signedOutBecause.value = because;
      session.value = next;
      if (because === undefined) person.value = next?.user;
    });
  }

  return {
    session,
    signedOutBecause,
    person,
    /** The id of the person. */
    viewsOf: computed(() => person.value?.id),
    /** The person signs out: that the hub refuses the token from now on is what they want. */
    beginLeaving(): void {
      isLeaving = true;
    },
    setSession(next: Session | undefined): void {
      isLeaving = false;
      const kept = next && { gotAt: Date.now(), ...next };
      save(WHY, undefined);
      save(KEY, kept);
      change(kept, undefined);
    },
    /** The hub no longer takes the token. What was typed stays where it is: the view comes back after signing in. */
    sessionExpired(): void {
      if (!session.value || isLeaving) return;
      save(WHY, "expired");
      save(KEY, undefined);
      change(undefined, "expired");
    },
    /** Another window may have signed in or out, or renewed the session. */
    followOtherWindows(): void {
      window.addEventListener("storage", ({ key }) => {
        if (key !== `hub.${KEY}` && key !== null) return;
        const theirs = load<Session>(KEY);
        if (theirs?.token !== session.value?.token) change(theirs, theirs ? undefined : load<"expired">(WHY));
      });
    },
    allows(role: Role): boolean {
      const mine = person.value?.role;
      return mine !== undefined && ROLES.indexOf(mine) >= ROLES.indexOf(role);
    },
  };
}

export const {
  session,
  signedOutBecause,
  person,
  viewsOf,
  beginLeaving,
  setSession,
  sessionExpired,
  followOtherWindows,
  allows,
} = createSession();
