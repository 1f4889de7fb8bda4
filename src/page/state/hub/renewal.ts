// Keeps who is signed in signed in: a token ends after a day, but a tablet on the wall should not ask for a password each day.
// Ending the session on the hub ends this as well.
import { post } from "./api.ts";
import { type Session, session, setSession } from "./session.ts";

/** A clock may be set, and a machine may sleep: looked at now and then. */
const MAX_WAIT_MS = 60_000;
const SHORTEST_WAIT_MS = 1000;

/** Epoch ms: half of the token's lifetime. What an older page kept says nothing of that: at once. */
export function dueAt({ expires_in, gotAt }: Session): number {
  return expires_in === undefined || gotAt === undefined ? 0 : gotAt + (expires_in * 1000) / 2;
}

/** Also where the clock was set back to before the token was made. */
export function isDue(who: Session, now: number): boolean {
  return now >= dueAt(who) || now < (who.gotAt ?? 0);
}

/** Call it once. */
export function keepSignedIn(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  function plan(): void {
    clearTimeout(timer);
    const who = session.peek();
    if (!who) return;
    const wait = Math.min(MAX_WAIT_MS, Math.max(SHORTEST_WAIT_MS, dueAt(who) - Date.now()));
    timer = setTimeout(() => void look(), wait);
  }

  async function renewIfDue(): Promise<void> {
    const who = session.peek();
    if (isAsking || !who || !isDue(who, Date.now())) return;
    isAsking = true;
    try {
      const renewed = await post<Session>("/auth/renew");
      // Signed out, or renewed by another window meanwhile.
      if (session.peek() === who) setSession(renewed);
    } catch {
      // Where the session has ended that is reported already. Where the hub was not reached, it is asked again.
    } finally {
      isAsking = false;
    }
  }

  async function look(): Promise<void> {
    await renewIfDue();
    plan();
  }

  document.addEventListener("visibilitychange", () => void look());
  session.subscribe(plan);
  void look();
}
