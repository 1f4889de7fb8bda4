// Signing out: ends the session on the hub, and clears what this browser kept of the house.

import { clear } from "../../browser/storage.ts";
import { get, remove } from "./api.ts";
import { beginLeaving, setSession } from "./session.ts";

/** False where the hub could not be reached: then the session lives there until it is ended or expires. */
export async function signOut(): Promise<boolean> {
  beginLeaving();
  const isEnded = await endOwn().catch(() => false);
  setSession(undefined);
  clear();
  return isEnded;
}

async function endOwn(): Promise<boolean> {
  const sessions = await get<{ id: string; current: boolean }[]>("/auth/sessions");
  const own = sessions.find(({ current }) => current);
  if (own) await remove(`/auth/sessions/${encodeURIComponent(own.id)}`);
  return own !== undefined;
}
