// What people change over the API, written into the rule files: as little of the text as possible, never over what somebody
// has saved meanwhile, and in effect when it is answered.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { HubError } from "../../core/errors.ts";
import { type RandomBytes, uuid } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import { lacksId, replaceId, setTopLevel } from "../parse/edit.ts";
import { createRuleFile, moveToTrash, writeRuleFile } from "./disk.ts";
import { freeFileName } from "./file-names.ts";
import type { ListedFile, RuleFiles } from "./files.ts";
import { editedText, textOf } from "./rewrite.ts";
import { type GoodVersion, type RuleReader, refusalOf } from "./understand.ts";

/** Keys at the top of a rule that can be changed alone; others are changed with the whole rule. */
export interface RulePatch {
  name?: string;
  enabled?: boolean;
  priority?: number;
  cooldown_secs?: number;
  tags?: string[];
}

/**
 * All throw HubError: `not_found`, `invalid` with all `problems` in the details, `conflict` where the file or the id is
 * another's or was changed, `storage` where it cannot be written.
 */
export interface RuleEdits {
  /** A new file, in RON; `conflict` also where there are too many. */
  create(rule: JsonObject): ListedFile;
  /** The same file; in its own format and with its comments, as far as that is possible. */
  replace(id: string, rule: JsonObject): ListedFile;
  patch(id: string, patch: RulePatch): ListedFile;
  /** `etag` is of the text that was edited; without it the text is replaced whatever it is. */
  putText(id: string, text: string, etag: string | undefined): ListedFile;
  /** Into the trash of the folder. */
  remove(id: string): void;
}

export interface RuleEditsOptions {
  folder: string;
  files: RuleFiles;
  random: RandomBytes;
  now: () => number;
  reader: RuleReader;
}

// Each is compiled and held, up to a megabyte of text. What somebody puts into the folder by hand is read all the same.
const MOST_FILES = 2000;

/** Changes whenever the text does. */
export function etagOf(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

export function createRuleEdits({ folder, files, random, now, reader }: RuleEditsOptions): RuleEdits {
  const { shape } = reader;

  /** As the file is now: what somebody has saved since the last look must not be lost. */
  function fresh(id: string): ListedFile {
    files.load(files.get(id).file);
    return files.get(id);
  }

  /** `expected`: in place of this text only. */
  function save(file: string, text: string, expected?: string): ListedFile {
    if (text !== files.at(file)?.text && !writeRuleFile(join(folder, file), text, expected)) {
      files.load(file);
      throw changedMeanwhile(file);
    }
    return saved(file);
  }

  function saved(file: string): ListedFile {
    files.load(file);
    const found = files.at(file);
    if (!found) throw new HubError("conflict", `${file} was removed at this very moment; nothing runs of it`);
    return found;
  }

  /** The version that will run, or the refusal. A rule that came as JSON is told of paths, not of lines nobody has seen. */
  function judge(text: string, { entry, json = false }: { entry?: ListedFile; json?: boolean }): GoodVersion {
    const { good, problems } = reader.understand(text, entry?.good?.rule.id);
    if (!good) throw refusalOf(json ? problems.map(({ path = "", message }) => ({ path, message })) : problems);
    const owner = files.ownerOf(good.rule.id);
    if (owner === undefined || owner === entry?.file) return good;
    throw new HubError(
      "conflict",
      `the id ${good.rule.id} is that of the rule in ${owner}: choose another, or leave it out`,
    );
  }

  function readable(entry: ListedFile): string {
    if (entry.text !== undefined && entry.problems.length === 0) return entry.text;
    const [problem] = entry.problems;
    const place = problem ? ` (line ${problem.line}: ${problem.message})` : "";
    throw new HubError("conflict", `${entry.file} has problems${place}: mend its text first`, {
      details: { problems: entry.problems },
    });
  }

  return {
    create(given) {
      if (files.size >= MOST_FILES) throw new HubError("conflict", `there are ${MOST_FILES} rule files: remove some`);
      const whole = { ...given, id: lacksId(given) ? uuid(random) : (given.id ?? "") };
      const text = textOf(whole, { shape });
      const { rule } = judge(text, { json: true });
      const file = freeFileName(folder, rule);
      if (!createRuleFile(join(folder, file), text)) throw changedMeanwhile(file);
      return saved(file);
    },
    replace(id, given) {
      const entry = fresh(id);
      const own = entry.good?.rule.id ?? entry.claimedId ?? uuid(random);
      const whole = { ...given, id: lacksId(given) ? own : (given.id ?? "") };
      if (whole.id !== own)
        throw new HubError("conflict", "the id in the rule is not the one in the address: leave it out");
      const text = textOf(whole, { shape, format: entry.format });
      const { rule } = judge(text, { entry, json: true });
      return save(entry.file, editedText(entry, rule) ?? text, entry.text);
    },
    patch(id, patch) {
      const entry = fresh(id);
      let text = readable(entry);
      for (const [key, value] of Object.entries(patch)) {
        const edited = setTopLevel(text, key, value);
        if (!edited.ok) throw refusalOf(edited.problems);
        text = edited.text;
      }
      judge(text, { entry });
      return save(entry.file, text, entry.text);
    },
    putText(id, text, etag) {
      const entry = fresh(id);
      if (etag !== undefined && etag !== "*" && (entry.text === undefined || etag !== etagOf(entry.text)))
        throw changedMeanwhile(entry.file);
      const withId = reader.understand(text).lacksId ? idWritten(text, entry.good?.rule.id ?? uuid(random)) : text;
      judge(withId, { entry });
      return save(entry.file, withId, etag === undefined || etag === "*" ? undefined : entry.text);
    },
    remove(id) {
      const { file } = files.get(id);
      moveToTrash(folder, file, now());
      files.load(file);
    },
  };
}

function changedMeanwhile(file: string): HubError {
  return new HubError("conflict", `${file} was changed meanwhile: read it again, and put your change into that`);
}

function idWritten(text: string, id: string): string {
  const edited = replaceId(text, id);
  if (!edited.ok) throw refusalOf(edited.problems);
  return edited.text;
}
