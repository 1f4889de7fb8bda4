// Whether the hub has another page by now, as after an upgrade, and how this one loads itself anew.
import { signal } from "@preact/signals";

/** The hub has another page than this one. */
export const isOutdated = signal(false);

/** Which files this page is, before it adds any. */
export const headAtStart = document.head.outerHTML;

/** Loading anew for the same reason twice in so short a time does not help: then it is only offered. */
const RETRY_MS = 600_000;
const RELOADED = "hub.reloaded";

/** Loads the page anew, unless that was done for the same reason a moment ago. */
export function reloadOnce(why: string): void {
  try {
    const last = JSON.parse(sessionStorage.getItem(RELOADED) ?? "{}") as { why?: string; at?: number };
    if (last.why === why && Date.now() - (last.at ?? 0) < RETRY_MS) return;
    sessionStorage.setItem(RELOADED, JSON.stringify({ why, at: Date.now() }));
  } catch {
    // Where nothing is kept, nobody can know whether it was done already.
    return;
  }
  reload();
}

export function reload(): void {
  location.reload();
}
