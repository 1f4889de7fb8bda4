// Sees to it that a rule has an id: where a file bears none, or zeros, a new one is written into the text itself and
// nothing else is touched. A file that cannot be written gets an id made from its name.
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { type RandomBytes, uuid } from "../../core/ids.ts";
import type { StorageTrouble } from "../../core/storage-fault.ts";
import { replaceId } from "../parse/edit.ts";
import { writeRuleFile } from "./disk.ts";
import { idFromFileName } from "./file-names.ts";

export interface GivenId {
  text: string;
  /** For a text that still bears none. */
  id?: string;
  /** Why none was written into it. */
  warning?: string;
}

/** `known` is the id the file's rule has had so far: who empties it keeps it. */
export function createIdGiver(folder: string, random: RandomBytes, trouble: Pick<StorageTrouble, "note">) {
  /** For a text that bears no id. */
  return function giveId(file: string, text: string, known: string | undefined): GivenId {
    const path = join(folder, file);
    const edited = replaceId(text, known ?? uuid(random));
    try {
      if (!edited.ok) throw new Error(edited.problems[0]?.message);
      if (writeRuleFile(path, edited.text, text)) return { text: edited.text };
      // Saved again in this very moment: the next look at the folder finds it.
      return { text, id: known ?? idFromFileName(file) };
    } catch (error) {
      trouble.note(error);
      const id = known ?? idFromFileName(file);
      return {
        text,
        id,
        warning: `it bears no id, and none can be written into it: ${messageOf(error)}. It runs as ${id}`,
      };
    }
  };
}
