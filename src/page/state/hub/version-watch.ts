// Asks with each connection whether the hub has another page by now. Then this one loads itself anew: by itself at a quiet moment, or
// when asked to. What somebody has typed is not lost.
import { effect } from "@preact/signals";
import { connection } from "./live.ts";
import { headAtStart, isOutdated, reloadOnce } from "./version.ts";

const QUIET_MS = 10_000;
const LOOK_MS = 1000;

/** Names change with what is in the files, so the page that names these very files is this one. */
export function namesOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/[\w.-]+\.(?:js|css))"/g)].map(([, name]) => name ?? "").sort();
}

const own = namesOf(headAtStart);

/** Call it once. */
export function watchVersion(): void {
  const typedInto = new Set<Element>();
  let touchedAt = Number.NEGATIVE_INFINITY;

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

  async function compare(): Promise<void> {
    const theirs = await otherNames();
    if (theirs === undefined || isOutdated.value) return;
    isOutdated.value = true;
    const look = (): void => reloadWhenQuiet(theirs);
    setInterval(look, LOOK_MS);
    look();
  }

  function reloadWhenQuiet(theirs: string): void {
    const hasText = [...typedInto].some((field) => field.isConnected && textIn(field) !== "");
    const isQuiet = document.visibilityState === "hidden" || performance.now() - touchedAt > QUIET_MS;
    if (!hasText && isQuiet && !document.querySelector("dialog[open]")) reloadOnce(theirs);
  }

  for (const name of ["pointerdown", "keydown", "wheel", "touchmove"])
    addEventListener(name, noteTouch, { capture: true, passive: true });
  addEventListener("input", noteTyping, { capture: true });
  effect(() => {
    if (connection.value.state === "live") void compare();
  });
}

/** Asks the hub which page it has; undefined where it is this one. */
async function otherNames(): Promise<string | undefined> {
  try {
    const answer = await fetch("/", { cache: "no-store", headers: { accept: "text/html" } });
    const theirs = namesOf(await answer.text());
    return answer.ok && theirs.length > 0 && String(theirs) !== String(own) ? String(theirs) : undefined;
  } catch {
    // Asked again with the next connection.
    return undefined;
  }
}

function textIn(field: Element): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.textContent ?? "";
}
