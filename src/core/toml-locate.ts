// Where in a TOML text something stands: the line of a key, and of what makes the text no TOML at all.
import { TomlError } from "smol-toml";
import { parseTOML } from "toml-eslint-parser";
import type { Problem } from "./schema.ts";

/** Makes a finder from dotted path (`notify.channels[1].smtp.port`) to the 1-based line of the key or its nearest table. */
export function createLocator(text: string): (path: string) => number | undefined {
  const lines = new Map<string, number>();
  const note = (keys: readonly (string | number)[], line: number): void => {
    const path = joinKeys(keys);
    if (!lines.has(path)) lines.set(path, line);
  };
  for (const node of parseTOML(text).body[0].body) {
    if (node.type === "TOMLKeyValue") note(keysOf(node.key.keys), node.loc.start.line);
    else {
      // The list as a whole stands where its first table does.
      if (node.kind === "array") note(node.resolvedKey.slice(0, -1), node.loc.start.line);
      note(node.resolvedKey, node.loc.start.line);
      for (const pair of node.body) note([...node.resolvedKey, ...keysOf(pair.key.keys)], pair.loc.start.line);
    }
  }
  return function locate(path) {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const line = lines.get(at);
      if (line !== undefined) return line;
    }
    return undefined;
  };
}

/** What the parser threw. Its own message quotes the line, which may hold a secret: only what and where are passed on. */
export function syntaxProblem(error: unknown): Problem & { line?: number } {
  if (!(error instanceof TomlError)) return { path: "", message: "is not valid TOML" };
  const what = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
  return {
    path: "",
    line: error.line,
    message: `is not valid TOML: ${what} (column ${error.column}); nothing of the file is used`,
  };
}

function keysOf(
  keys: readonly ({ type: "TOMLBare"; name: string } | { type: "TOMLQuoted"; value: string })[],
): string[] {
  return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
}

function joinKeys(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => (typeof key === "number" ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`),
    "",
  );
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf("["), 0));
}
