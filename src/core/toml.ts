// hub.toml and modes.toml as TOML: their bytes a table, and every complaint a line. One parser decides what a text says; the
// scanner beside it reads the same text only to find places, and where it is lost there is no line.
import { readFileSync, statSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { decodeText, withoutMark } from "./decode-text.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { Problem } from "./schema.ts";
import type { Mark } from "./text-mark.ts";
import { positionAt } from "./text-problem.ts";
import { scanToml } from "./toml-scan.ts";

export interface LineProblem extends Problem {
  /** 1-based. */
  line?: number | undefined;
}

export type TomlFile =
  | {
      ok: true;
      table: JsonObject;
      /** Keys that no table may have; they are taken out of it. */
      problems: Problem[];
      /** The 1-based line of a dotted path, `notify.channels[1].smtp.port`, or of the nearest table around it. */
      locate(path: string): number | undefined;
    }
  | { ok: false; problem: LineProblem };

const MAX_BYTES = 1024 * 1024;
const TOO_LARGE: LineProblem = { path: "", message: "is larger than a megabyte" };
/** More than any configuration needs; what walks the table may recurse. */
const MAX_DEPTH = 64;

/** The same of a file. Throws the system's error where it cannot be read. */
export function readTomlFile(path: string): TomlFile {
  const stat = statSync(path);
  // Opening what is no file, such as a pipe, could wait for ever.
  if (!stat.isFile()) return refused({ path: "", message: "is no file" });
  return stat.size > MAX_BYTES ? refused(TOO_LARGE) : readToml(readFileSync(path));
}

/** Never throws. A byte order mark is taken; anything but UTF-8 is a problem with its place. */
export function readToml(given: Uint8Array | string): TomlFile {
  const bytes = typeof given === "string" ? Buffer.from(given) : given;
  if (bytes.byteLength > MAX_BYTES) return refused(TOO_LARGE);
  const decoded = decodeText(bytes);
  if (!decoded.ok) {
    const { line, column, message } = decoded.problem;
    return refused({ path: "", line, message: `${message} (column ${column})` });
  }
  const text = withoutMark(decoded.text);
  try {
    // A number too large is a problem of its key, not of the file.
    const table = parse(text, { integersAsBigInt: "asNeeded", maxDepth: MAX_DEPTH }) as JsonObject;
    return { ok: true, table, problems: takeOutPrototypes(table, ""), locate: createLocator(text) };
  } catch (error) {
    return refused(syntaxProblem(error));
  }
}

function refused(problem: LineProblem): TomlFile {
  return { ok: false, problem: { ...problem, message: `${problem.message}; nothing of the file is used` } };
}

/** Its own message quotes the line, which may hold a secret: only what and where are passed on. */
function syntaxProblem(error: unknown): LineProblem {
  if (!(error instanceof TomlError)) return { path: "", message: "is not valid TOML" };
  const what = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
  return { path: "", line: error.line, message: `is not valid TOML: ${what} (column ${error.column})` };
}

/** `__proto__` would be lost without a word wherever a table is copied. */
function takeOutPrototypes(value: unknown, path: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => takeOutPrototypes(item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (key !== "__proto__") return takeOutPrototypes(value[key], at);
    delete value[key];
    return [{ path: at, message: "the key `__proto__` is not allowed" }];
  });
}

function createLocator(text: string): (path: string) => number | undefined {
  const root = scanned(text);
  return function locate(path) {
    let found: Mark | undefined;
    let mark = root;
    for (const [part] of path.matchAll(/[^.[\]]+/g)) {
      const next = mark?.keys?.get(part) ?? mark?.items?.[Number(part)];
      if (next === undefined) break;
      found = next;
      mark = next;
    }
    return found && positionAt(text, found.at).line;
  };
}

function scanned(text: string): Mark | undefined {
  try {
    return scanToml(text);
  } catch {
    return undefined;
  }
}
