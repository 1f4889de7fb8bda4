// What rule files are called.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { idFromName } from "../../core/ids.ts";

// Editors leave `x.ron~`, `.x.ron.swp`, `#x.ron#` and `x.ron.tmp` beside a file, and syncing programs `x (1).ron.part`.
export function isRuleFileName(name: string): boolean {
  return /^[^.#~].*\.(?:ron|toml)$/is.test(name);
}

// File systems take 255 bytes; a letter has up to four of them.
const LONGEST_STEM_BYTES = 120;

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
  while (Buffer.byteLength(short) > LONGEST_STEM_BYTES) short = [...short].slice(0, -1).join("");
  return short;
}

/** An id for a file that none can be written into: the same at every start. */
export function idFromFileName(file: string): string {
  const hex = createHash("sha256").update(`hub rule file ${file}`).digest("hex");
  // The form of a UUID made from a name (version 8: by a rule of one's own).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
