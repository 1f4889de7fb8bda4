// What stands before every view for a moment: asking for a password in the place of the printed one, and a restore.
import { signal } from "@preact/signals";
import { post } from "./api.ts";
import { type Session, setSession } from "./session.ts";

/** The printed password that somebody has just signed in with, while another one is asked for. */
export const printedPassword = signal<string | undefined>(undefined);

/** When the hub has accepted an archive, in epoch ms; it restarts with it. */
export const restoring = signal<number | undefined>(undefined);

/** A restore went well just now: accounts are those of the restored house. */
export const restored = signal(false);

export async function signIn(username: string, password: string): Promise<void> {
  const answer = await post<Session & { password_is_initial?: boolean }>("/auth/login", { username, password });
  if (answer.password_is_initial === true) printedPassword.value = password;
  restored.value = false;
  setSession(answer);
}
