// What somebody is writing and has not saved: it outlives a reload, signing in again and a restart of the hub.

export interface Draft {
  text: string;
  /** The text it began with, and its ETag; empty for what is new. */
  base: string;
  etag: string;
}

const PREFIX = "hub.draft.";

export function loadDraft(key: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

/** Undefined drops it. A browser that keeps nothing loses it with the page. */
export function keepDraft(key: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {}
}
