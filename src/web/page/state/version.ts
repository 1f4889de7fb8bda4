// Whether the hub has another page by now, as after an upgrade. Then this one loads itself anew: by itself at a quiet moment, or
// when asked to. What somebody has typed is not lost.
import { effect, signal } from "@preact/signals";
import { connection } from "./live.ts";

/** The hub has another page than this one. */
export const isOutdated = signal(false);

const QUIET_MS = 10_000;
const LOOK_MS = 1000;
/** Loaded anew and still another page: something between keeps an old one, so that it is offered only. */
const AGAIN_MS = 60_000;
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
export async function compare(): Promise<boolean> {
  try {
    const answer = await fetch("/", { cache: "no-store", headers: { accept: "text/html" } });
    const theirs = namesOf(await answer.text());
    if (!answer.ok || theirs.length === 0 || String(theirs) === String(own)) return isOutdated.value;
  } catch {
    return isOutdated.value;
  }
  if (!isOutdated.value) {
    isOutdated.value = true;
    setInterval(reloadWhenQuiet, LOOK_MS);
    reloadWhenQuiet();
  }
  return true;
}

function reloadWhenQuiet(): void {
  const hasText = [...typedInto].some((field) => field.isConnected && textIn(field) !== "");
  const isQuiet = document.visibilityState === "hidden" || performance.now() - touchedAt > QUIET_MS;
  if (!hasText && isQuiet && !document.querySelector("dialog[open]") && !hasJustReloaded()) reload();
}

function textIn(field: Element): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.textContent ?? "";
}

/** Loading it once more would not help. */
export function hasJustReloaded(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(RELOADED)) < AGAIN_MS;
  } catch {
    return true;
  }
}

export function reload(): void {
  try {
    sessionStorage.setItem(RELOADED, String(Date.now()));
  } catch {}
  location.reload();
}
