// What the texts of rules were read into, kept for the next start: reading five thousand anew takes seconds. It holds for the
// executable that read them and for the very same texts; what is missing or damaged is read as if there were none.
import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import { etagOf } from "../../kit/text/etag.ts";
import { formatOfName } from "../parse/detect.ts";
import type { ReadText, RuleReader } from "./read-rule.ts";

export interface ReadCacheOptions {
  path: string;
  /** What reads the rules: another executable may read them differently. */
  readBy: string;
  log: Log;
}

export interface ReadCache {
  /** Reads only what is not in the cache. */
  readonly reader: RuleReader;
  /** Writes it, if that is worth it, and forgets everything: what changes later is read when it does. */
  close(): void;
}

// A few rules are read faster than a file of this kind is worth.
const FEWEST = 200;
// So many in a hundred have to be new for it to be written again.
const WORTH_PERCENT = 5;

/** One line says who wrote it and what sum the others have; each further one has a key, a tab and what was read, as JSON. */
export function openReadCache(reader: RuleReader, { path, readBy, log }: ReadCacheOptions): ReadCache {
  const known = load(path, readBy);
  const used = new Map<string, string>();
  let isOpen = true;
  let added = 0;

  function read(text: string, options: Parameters<RuleReader["read"]>[1] = {}): ReadText {
    const { file, id } = options;
    if (!isOpen || file === undefined || id !== undefined) return reader.read(text, options);
    const key = `${formatOfName(file)} ${etagOf(text)}`;
    const line = known.get(key);
    const found = line === undefined ? undefined : parse(line);
    if (line !== undefined && found) {
      used.set(key, line);
      return found;
    }
    const fresh = reader.read(text, options);
    if (isLasting(fresh)) {
      added++;
      used.set(key, JSON.stringify(fresh));
    }
    return fresh;
  }

  return {
    reader: { ...reader, read },
    close() {
      isOpen = false;
      try {
        if (used.size >= FEWEST && added * 100 >= used.size * WORTH_PERCENT) write(path, readBy, used);
      } catch (error) {
        log.warn("what rules were read into cannot be kept: the next start takes longer", { error: messageOf(error) });
      }
      known.clear();
      used.clear();
    },
  };
}

/** That it depends on nothing but the text, and may be read back from JSON. */
function isLasting({ good, problems, warnings, lacksId, uses }: ReadText): boolean {
  const isRight = good !== undefined && problems.length === 0 && warnings.length === 0 && !lacksId;
  return isRight && uses === undefined && good.made === undefined && !good.byName;
}

function load(path: string, readBy: string): Map<string, string> {
  try {
    const text = readFileSync(path, "utf8");
    const body = text.slice(text.indexOf("\n") + 1);
    if (!text.startsWith(headOf(readBy, body))) return new Map();
    return new Map(
      body.split("\n").flatMap((line) => {
        const tab = line.indexOf("\t");
        return tab > 0 ? [[line.slice(0, tab), line.slice(tab + 1)] as const] : [];
      }),
    );
  } catch {
    return new Map();
  }
}

/** With a sum: a card may give back another letter than was written, and that would be another rule. */
function headOf(readBy: string, body: string): string {
  return `${readBy} ${Bun.hash(body).toString(36)}\n`;
}

function parse(line: string): ReadText | undefined {
  try {
    const read: unknown = JSON.parse(line);
    const isRead = isObject(read) && isObject(read.good) && isObject(read.good.rule);
    return isRead ? ({ claimedId: undefined, uses: undefined, ...read } as unknown as ReadText) : undefined;
  } catch {
    return undefined;
  }
}

/** A power cut may leave half of it, or the one before: it is not worth waiting for the disk. */
function write(path: string, readBy: string, lines: ReadonlyMap<string, string>): void {
  const temporary = `${path}.tmp`;
  const body = [...lines].map(([key, line]) => `${key}\t${line}\n`).join("");
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    writeFileSync(descriptor, headOf(readBy, body) + body);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}
