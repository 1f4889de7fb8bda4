// Entries of [[plugins]] that the hub itself adds to hub.toml and takes out again. Every other byte of the file stays as it is: what
// comes out is read again and compared, and where an edit by hand is needed, nothing is changed and the error says so.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { replaceFile } from "../../kit/files/atomic-file.ts";
import { decodeText } from "../../kit/schema/decode-text.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Mark } from "../../kit/schema/text-places.ts";
import { parseToml } from "../../kit/schema/toml.ts";
import type { EntryFile, NewEntry } from "../../reach/plugins/uploads.ts";
import { checkConfig } from "./load.ts";

const MAX_TRIES = 5;

/** Throws HubError `conflict`, `invalid` and `storage`; then the file is as it was. */
export function createEntryFile(hubToml: string): EntryFile {
  /** Somebody may save the file at the same time: then their text is edited. */
  function edit<T>(change: (text: string) => { content: string; result: T }): T {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { path, text, mode } = read(hubToml);
      const { content, result } = change(text);
      if (replace(path, { expected: text, content, mode })) return result;
    }
    throw new HubError("conflict", "hub.toml is being changed all the time: try it again");
  }

  return {
    add: (entry) =>
      edit((text) => {
        const content = withEntry(text, entry);
        refuseNewProblems(text, content);
        const result = checkConfig(content).config?.plugins.find(({ id }) => id === entry.id);
        if (!result) throw new HubError("conflict", "hub.toml has problems: run `hub check`, and mend them first");
        return { content, result };
      }),
    remove: (id) => edit((text) => ({ content: withoutEntry(text, id), result: undefined })),
  };
}

function read(file: string): { path: string; text: string; mode: number } {
  const path = realpathSync(file);
  const decoded = decodeText(readFileSync(path));
  if (!decoded.ok) throw new HubError("conflict", `hub.toml cannot be edited: ${decoded.problem.message}`);
  return { path, text: decoded.text, mode: statSync(path).mode & 0o777 };
}

function replace(path: string, change: { expected: string; content: string; mode: number }): boolean {
  try {
    return replaceFile(path, change);
  } catch (error) {
    throw new HubError("storage", `hub.toml cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** A configuration that was right must not become wrong. */
function refuseNewProblems(before: string, after: string): void {
  const known = new Set(checkConfig(before).problems.map(({ message }) => message));
  const more = checkConfig(after).problems.filter(({ message, warning }) => !warning && !known.has(message));
  if (more.length > 0) throw new HubError("conflict", more.map(({ message }) => message).join("; "));
}

/** The text with the entry behind all others. */
export function withEntry(text: string, { id, binary, enabled }: NewEntry): string {
  const before = tableOf(text);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = ["", "[[plugins]]", `id = ${quoted(id)}`, `binary = ${quoted(binary)}`, `enabled = ${enabled}`, ""];
  const added = (text === "" || text.endsWith("\n") ? "" : end) + lines.join(end);
  const entries = [...pluginsIn(before.table), { id, binary, enabled }];
  return checked(text + added, { ...before.table, plugins: entries });
}

/** The text without the entry; comments around it stay. */
export function withoutEntry(text: string, id: string): string {
  const { table, mark } = tableOf(text);
  const entries = pluginsIn(table);
  const index = entries.findIndex((entry) => isObject(entry) && entry.id === id);
  const own = mark.keys?.get("plugins")?.items?.[index];
  if (index < 0 || !own) throw new HubError("conflict", `hub.toml has no entry of the plugin "${id}" any more`);
  const end = lineEnd(text, lastOf(own));
  // With the empty line that stands before it.
  const start = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, own.at))?.[1]?.length ?? 0;
  const rest = entries.toSpliced(index, 1);
  return checked(text.slice(0, own.at - start) + text.slice(end), { ...table, plugins: rest });
}

/** Throws unless the text says just this. */
function checked(text: string, wanted: JsonObject): string {
  const read = parseToml(text);
  const all = (table: JsonObject): JsonObject => ({
    ...table,
    plugins: pluginsIn(table) as JsonObject["plugins"] & {},
  });
  if (read.ok && Bun.deepEquals(all(read.table), all(wanted))) return text;
  throw new HubError(
    "conflict",
    "the list of plugins in hub.toml is written in a way that the hub does not edit: write each as [[plugins]] with its keys below",
  );
}

function tableOf(text: string): { table: JsonObject; mark: Mark } {
  const read = parseToml(text);
  if (read.ok) return read;
  throw new HubError("conflict", `hub.toml is not valid TOML: ${read.flaw.message}; mend it first`);
}

function pluginsIn({ plugins }: JsonObject): Json[] {
  return Array.isArray(plugins) ? plugins : [];
}

/** The offset of the last thing that belongs to it. */
function lastOf(mark: Mark): number {
  const inside = [...(mark.keys?.values() ?? []), ...(mark.items ?? [])];
  return Math.max(mark.at, mark.end, ...inside.map(lastOf));
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** Ids and paths of ids need no escapes. */
function quoted(word: string): string {
  return `"${word}"`;
}
