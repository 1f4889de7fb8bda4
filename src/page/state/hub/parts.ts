// Parts of the page that load when they are opened, and could not be: the hub was not reached, or has another page by now. They
// are tried again with the whole page, as browsers remember what they failed to load.
import { effect, signal } from "@preact/signals";
import { connection } from "./live.ts";
import { reloadOnce } from "./version.ts";

/** The view that was asked for is not there. */
export const isPartMissing = signal(false);

/** Call it once. */
export function watchParts(): void {
  window.addEventListener("unhandledrejection", ({ reason }) => {
    if (isFailedImport(reason)) isPartMissing.value = true;
  });
  effect(() => {
    if (isPartMissing.value && connection.value.state === "live") reloadOnce(`part of ${location.pathname}`);
  });
}

/** Every browser has words of its own for it. */
export function isFailedImport(reason: unknown): boolean {
  return reason instanceof TypeError && /import|module/i.test(reason.message);
}
