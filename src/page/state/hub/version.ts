// Whether the hub has another page by now, as after an upgrade. Then this one loads itself anew: by itself at a quiet moment, or
// when asked to. What somebody has typed is not lost.
import { effect, signal } from "@preact/signals";
import { connection } from "./live.ts";

/** The hub has another page than this one. */
export const isOutdated = signal(false);

const QUIET_MS = 10_000;
const LOOK_MS = 1000;
/** Loading anew for the same reason twice in so short a time does not help: then it is only offered. */
const RETRY_MS = 600_000;
const RELOADED = "hub.reloaded";

let touchedAt = Number.NEGATIVE_INFINITY;
const typedInto = new Set<Element>();

/** Call it once. */
export function watchVersion(): void {
  for (const name of ["pointerdown", "keydown", "wheel", "touchmove"])
    addEventListener(name, noteTouch, { capture: true, passive: true });
  addEventListener("input", noteTyping, { capture: true });
  effect(() => {
    if (connection.value.state === "live") void compare();
  });
}

function noteTouch(): void {
  touchedAt = performance.now();
}

function noteTyping({ target }: Event): void {
  noteTouch();
  if (
    target instanceof Element &&
    !target.matches("[type=search], [type=range], [type=checkbox], [type=radio], select")
  )
    typedInto.add(target);
}

/** Names change with what is in the files, so the page that names these very files is this one. */
export function namesOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/[\w.-]+\.(?:js|css))"/g)].map(([, name]) => name ?? "").sort();
}

const own = namesOf(document.head.outerHTML);

/** Asks the hub which page it has. */
async function compare(): Promise<void> {
  let theirs: string[];
  try {
    const answer = await fetch("/", { cache: "no-store", headers: { accept: "text/html" } });
    theirs = namesOf(await answer.text());
    if (!answer.ok || theirs.length === 0 || String(theirs) === String(own)) return;
  } catch {
    // Asked again with the next connection.
    return;
  }
  if (isOutdated.value) return;
  isOutdated.value = true;
  const look = (): void => reloadWhenQuiet(String(theirs));
  setInterval(look, LOOK_MS);
  look();
}

function reloadWhenQuiet(theirs: string): void {
  const hasText = [...typedInto].some((field) => field.isConnected && textIn(field) !== "");
  const isQuiet = document.visibilityState === "hidden" || performance.now() - touchedAt > QUIET_MS;
  if (!hasText && isQuiet && !document.querySelector("dialog[open]")) reloadOnce(theirs);
}

function textIn(field: Element): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.textContent ?? "";
}

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
