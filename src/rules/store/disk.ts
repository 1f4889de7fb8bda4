// Rule files on the disk: their names, and reading and writing each: bounded, as UTF-8, whole or not at all, and with
// the mode and owner it had.
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { createFile, replaceFile, syncFolder, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { STORAGE_TEXTS, type StorageFault, storageFaultOf } from "../../kit/files/storage-fault.ts";
import { decodeText } from "../../kit/schema/decode-text.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { idFromName } from "../../kit/schema/ids.ts";
import { problemAt, type TextProblem } from "../../kit/schema/text-places.ts";
import { MAX_RULE_BYTES } from "../parse/read.ts";

// Editors leave `x.ron~`, `.x.ron.swp`, `#x.ron#` and `x.ron.tmp` beside a file, and syncing programs `x (1).ron.part`.
export function isRuleFileName(name: string): boolean {
  return /^[^.#~].*\.(?:ron|toml)$/is.test(name);
}

// File systems take 255 bytes; a letter has up to four of them.
const MAX_STEM_BYTES = 120;

/** A name no file of the folder has: `kitchen_light.ron`, `kitchen_light_2.ron`, … */
export function freeFileName(folder: string, { name, id }: { name: string; id: string }): string {
  const stem = shortened(idFromName(name)) || shortened(idFromName(id)) || "rule";
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? "" : `_${number}`}.ron`;
    if (!existsSync(join(folder, file))) return file;
  }
}

function shortened(text: string): string {
  let short = text;
  while (Buffer.byteLength(short) > MAX_STEM_BYTES) short = [...short].slice(0, -1).join("");
  return short;
}

/** An id for a file that none can be written into: the same at every start. */
export function idFromFileName(file: string): string {
  const hex = createHash("sha256").update(`hub rule file ${file}`).digest("hex");
  // The form of a UUID made from a name (version 8: by a rule of one's own).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export type FileText = { ok: true; text: string } | { ok: false; problem: TextProblem };

/** By name; none where the folder cannot be read. */
export function ruleFilesIn(folder: string): string[] {
  try {
    const leadsToFile = (name: string): boolean =>
      statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => isRuleFileName(entry.name) && (entry.isFile() || leadsToFile(entry.name)))
      .map(({ name }) => name)
      .sort();
  } catch {
    // The folder's watch reports what is wrong with it.
    return [];
  }
}

/** Undefined where there is no such file; what cannot be read is a problem. */
export function readRuleFile(path: string): FileText | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Opening what is no file, such as a pipe, could wait for ever.
    if (!stat?.isFile()) return undefined;
    if (stat.size > MAX_RULE_BYTES) return atBeginning("a rule file holds a megabyte at most: split the rule");
    return decodeText(readFileSync(path));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    return atBeginning(`cannot be read: ${messageOf(error)}; give the hub the right to read it`);
  }
}

function atBeginning(message: string): FileText {
  return { ok: false, problem: problemAt("", { offset: 0, message }) };
}

// A rule may hold a webhook's secret, or a token for a service it calls.
const NEW_FILE_MODE = 0o600;

/**
 * False, and nothing is written, where the text of the file is no longer the `expected` one. Throws HubError `storage`
 * and leaves the old text where it cannot be written. A link stays a link.
 */
export function writeRuleFile(path: string, text: string, expected?: string): boolean {
  try {
    const old = statSync(path, { throwIfNoEntry: false });
    const target = old ? realpathSync(path) : path;
    const mode = old ? old.mode & 0o777 : NEW_FILE_MODE;
    if (expected === undefined) writeFileAtomic(target, text, mode);
    else if (!replaceFile(target, { expected, content: text, mode })) return false;
    if (old) keepAttributes(target, old);
    return true;
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** False where there is a file of this name. Throws HubError `storage` where it cannot be written. */
export function createRuleFile(path: string, text: string): boolean {
  try {
    return createFile(path, text, NEW_FILE_MODE);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function keepAttributes(path: string, { mode, uid, gid }: Stats): void {
  const made = statSync(path);
  try {
    if (made.uid !== uid || made.gid !== gid) chownSync(path, uid, gid);
  } catch {
    // Only root may give files away; the text is what counts.
  }
  if ((made.mode & 0o777) !== (mode & 0o777)) chmodSync(path, mode & 0o777);
}

function unwritable(path: string, error: unknown): HubError {
  const file = basename(path);
  const fault = storageFaultOf(error);
  const mend =
    fault === undefined ? "give the hub the right to write in the folder of the rules" : mendOf(error, fault);
  return new HubError("storage", `${file} cannot be written (${systemCode(error) ?? messageOf(error)}): ${mend}`, {
    cause: error,
    details: fault === undefined ? {} : { fault },
  });
}

/** A folder of another owner is no sign of a worn card. */
function mendOf(error: unknown, fault: StorageFault): string {
  const denied = ["EACCES", "EPERM"].includes(systemCode(error) ?? "");
  return denied ? "give the hub the right to write in the folder of the rules" : STORAGE_TEXTS[fault].mend;
}

const TRASH = ".trash";
const MAX_IN_TRASH = 200;

/** Moves the file to `.trash/<time>-<name>` in its folder, where the last 200 are kept. Throws HubError `storage`. */
export function moveToTrash(folder: string, file: string, now: number): void {
  const trash = join(folder, TRASH);
  try {
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    const moved = freeTrashName(trash, file, now);
    renameSync(join(folder, file), join(trash, moved));
    syncFolder(folder);
    // Never this one: the clock may have been ahead when the others got their names.
    const others = readdirSync(trash)
      .filter((name) => name !== moved)
      .sort();
    for (const name of others.slice(0, Math.max(0, others.length + 1 - MAX_IN_TRASH))) rmSync(join(trash, name));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw unwritable(join(folder, file), error);
  }
}

function freeTrashName(trash: string, file: string, now: number): string {
  for (let at = now; ; at++) {
    const name = `${new Date(at).toISOString().replace(/[-:.]/g, "")}-${file}`;
    if (!existsSync(join(trash, name))) return name;
  }
}

/** Removes the temporary files of a hub that was killed while writing. */
export function removeOrphans(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (/\.(?:ron|toml)\.\d+\.tmp$/.test(name)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that cannot be read or written is reported elsewhere.
  }
}

export function changedMeanwhile(file: string): HubError {
  return new HubError("conflict", `${file} was changed meanwhile: read it again, and put your change into that`);
}
