// Keeps who is signed in signed in: a token ends after a day, but a tablet on the wall should not ask for a password each day.
// Ending the session on the hub ends this as well.
import { post } from "./api.ts";
import { type Session, session, setSession } from "./session.ts";

const LOOK_MS = 60_000;

let isAsking = false;

/** From half of its lifetime on, a token is exchanged. What an older page kept says nothing of that: at once. */
export function isDue({ expires_in, gotAt }: Session, now: number): boolean {
  if (expires_in === undefined || gotAt === undefined) return true;
  // A clock that was set back says nothing either.
  return now < gotAt || now >= gotAt + (expires_in * 1000) / 2;
}

/** Call it once. */
export function keepSignedIn(): void {
  const look = (): void => void renewIfDue();
  setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", look);
  look();
}

export async function renewIfDue(): Promise<void> {
  const who = session.peek();
  if (isAsking || !who || !isDue(who, Date.now())) return;
  isAsking = true;
  try {
    const renewed = await post<Session>("/auth/renew");
    // Signed out, or renewed by another window meanwhile.
    if (session.peek() === who) setSession(renewed);
  } catch {
    // Where the session has ended that is told already. Where the hub was not reached, it is asked again.
  } finally {
    isAsking = false;
  }
}
