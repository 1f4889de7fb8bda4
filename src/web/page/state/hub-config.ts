// hub.toml of the hub, as text.
import type { TextProblem } from "../components/admin/config-text.tsx";
import { ask } from "./api.ts";

export interface ConfigRead {
  text: string;
  etag: string;
  /** A text area makes every line end the same. */
  isCrlf: boolean;
}

export interface ConfigChecked {
  problems: TextProblem[];
  changes: string[];
}

export async function readConfig(): Promise<ConfigRead> {
  const answer = await ask("GET", "/system/config");
  const text = await answer.text();
  return { text: text.replaceAll("\r\n", "\n"), etag: answer.headers.get("etag") ?? "", isCrlf: text.includes("\r\n") };
}

export async function checkConfig(text: string): Promise<ConfigChecked> {
  return (await (await ask("POST", "/system/config/check", { body: text })).json()) as ConfigChecked;
}

export async function saveConfig(text: string, { etag, isCrlf }: ConfigRead, force: boolean): Promise<ConfigChecked> {
  const body = isCrlf ? text.replaceAll("\n", "\r\n") : text;
  const answer = await ask("PUT", `/system/config${force ? "?force=true" : ""}`, {
    body,
    headers: { "if-match": etag },
  });
  return (await answer.json()) as ConfigChecked;
}

const DRAFT = "hub.draft.hub_toml";

/** What was typed and not saved: kept over signing in again and a reload, and no longer than the tab. */
export function draft(): string | undefined {
  try {
    return sessionStorage.getItem(DRAFT) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(DRAFT);
    else sessionStorage.setItem(DRAFT, text);
  } catch {}
}
