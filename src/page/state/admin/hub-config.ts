// hub.toml of the hub: as text, as the values it says, and the schema that both are made by.

import { once } from "../../browser/once.ts";
import type { ConfigEdit, ConfigValues } from "../../model/config/config-values.ts";
import type { FormSchema, TextProblem } from "../../model/config/form-schema.ts";
import { ask, get, post } from "../hub/api.ts";
import { withConfirmation } from "../hub/confirmation.ts";

export interface ConfigRead {
  text: string;
  etag: string;
  /** A text area makes every line end the same. */
  isCrlf: boolean;
}

export interface ConfigChecked {
  problems: TextProblem[];
  changes: string[];
  /** Null where the text is not TOML. */
  values: ConfigValues | null;
}

export async function readConfig(): Promise<ConfigRead> {
  const answer = await ask("GET", "/system/config");
  const text = await answer.text();
  return { text: text.replaceAll("\r\n", "\n"), etag: answer.headers.get("etag") ?? "", isCrlf: text.includes("\r\n") };
}

export async function checkConfig(text: string): Promise<ConfigChecked> {
  return (await (await ask("POST", "/system/config/check", { body: text })).json()) as ConfigChecked;
}

/** The text with these values; comments and everything else stay. */
export async function editConfig(text: string, edits: readonly ConfigEdit[]): Promise<string> {
  return (await post<{ text: string }>("/system/config/edit", { text, edits })).text;
}

export async function saveConfig(text: string, { etag, isCrlf }: ConfigRead, force: boolean): Promise<void> {
  const body = isCrlf ? text.replaceAll("\n", "\r\n") : text;
  await withConfirmation((headers) =>
    ask("PUT", `/system/config${force ? "?force=true" : ""}`, { body, headers: { "if-match": etag, ...headers } }),
  );
}

/** Read once: it changes only with the hub's version. Rejects where it cannot be read, and is tried again then. */
export const readConfigSchema = once(() => get<FormSchema>("/system/config/schema"));

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
