// What the hub writes into rule files: the changes that people make over the API, and the ids of rules without one. It
// changes as little of a text as possible, never overwrites what somebody has saved meanwhile, and answers when the
// change is in effect.
import { join } from "node:path";
import type { StorageTrouble } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../kit/schema/ids.ts";
import { type JsonObject, jsonEqual } from "../../kit/schema/json.ts";
import { stringifyToml } from "../../kit/schema/toml.ts";
import { etagOf } from "../../kit/text/etag.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { lacksId, replaceId, setTopLevel } from "../parse/edit/set-key.ts";
import { readRuleText } from "../parse/read.ts";
import { writeRon } from "../parse/ron/write.ts";
import type { RuleShape } from "../parse/shape.ts";
import { refusalOf } from "../read/file-problem.ts";
import { changedMeanwhile, createRuleFile, freeFileName, idFromFileName, moveToTrash, writeRuleFile } from "./disk.ts";
import type { GivenId, ListedFile, RuleFile, RuleFiles } from "./files.ts";
import { type GoodVersion, type RuleReader, writtenOf } from "./read-rule.ts";
import { setRule } from "./set-rule.ts";

/** Keys at the top of a rule that can be changed alone; others are changed with the whole rule. */
export interface RulePatch {
  name?: string;
  enabled?: boolean;
  priority?: number;
  cooldown_secs?: number;
  tags?: string[];
}

/**
 * All throw HubError: `not_found`; `invalid` with all `problems` in the details; `conflict` where another rule has the
 * file or the id, or the file was changed; `storage` where it cannot be written.
 */
export interface RuleEdits {
  /** A new file, in RON; `conflict` also where there are too many. */
  create(rule: JsonObject): ListedFile;
  /** The same file; in its own format and with its comments, as far as that is possible. */
  replace(id: string, rule: JsonObject): ListedFile;
  patch(id: string, patch: RulePatch): ListedFile;
  /** `etag` is that of the text that was edited; without one any text is replaced. */
  putText(id: string, text: string, etag: string | undefined): ListedFile;
  /** Moves the file to the trash of the folder. */
  remove(id: string): void;
}

export interface RuleEditsOptions {
  folder: string;
  files: RuleFiles;
  random: RandomBytes;
  now: () => number;
  reader: RuleReader;
}

// Each takes memory, up to a megabyte for its text. Files that people put into the folder themselves are not counted.
const MAX_FILES = 2000;

export function createRuleEdits({ folder, files, random, now, reader }: RuleEditsOptions): RuleEdits {
  const { shape } = reader;

  /** As the file is now: what somebody has saved meanwhile must not be lost. */
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

  /** The version that will run, or the refusal. Problems of a rule that came as JSON have paths, but no lines. */
  function judge(text: string, { entry, json = false }: { entry?: ListedFile; json?: boolean }): GoodVersion {
    const { good, problems } = reader.read(text, { file: entry?.file, id: entry?.good?.rule.id });
    if (!good) throw refusalOf(json ? problems.map(({ path = "", message }) => ({ path, message })) : problems);
    const owner = files.ownerOf(good.rule.id);
    if (owner === undefined || owner === entry?.file) return good;
    throw new HubError(
      "conflict",
      `the id ${good.rule.id} belongs to the rule in ${owner}: choose another, or leave it out`,
    );
  }

  function editedOf({ text, good, problems }: RuleFile, after: GoodVersion): string | undefined {
    if (text === undefined || !good || problems.length > 0) return undefined;
    return editedText(text, { before: good, after, reader });
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
      if (files.size >= MAX_FILES) throw new HubError("conflict", `there are ${MAX_FILES} rule files: remove some`);
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
      const good = judge(text, { entry, json: true });
      return save(entry.file, editedOf(entry, good) ?? text, entry.text);
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
      const withId = reader.read(text, { file: entry.file }).lacksId
        ? idWritten(text, entry.good?.rule.id ?? uuid(random))
        : text;
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

function idWritten(text: string, id: string): string {
  const edited = replaceId(text, id);
  if (!edited.ok) throw refusalOf(edited.problems);
  return edited.text;
}

/**
 * A text with another version of its rule in it. What is the same keeps its lines and comments; undefined where that is not
 * possible: then the text is written anew, without its comments.
 */
export function editedText(
  text: string,
  { before, after, reader }: { before: GoodVersion; after: GoodVersion; reader: RuleReader },
): string | undefined {
  if ((before.made === undefined) !== (after.made === undefined)) return undefined;
  const wanted = writtenOf(after);
  const edited = setRule(text, { before: writtenOf(before), after: wanted, shape: reader.shape });
  const read = edited === undefined ? undefined : reader.read(edited, { id: after.rule.id }).good;
  return read && jsonEqual(writtenOf(read), wanted) ? edited : undefined;
}

// The order in which people write a rule; keys that are not listed come after these.
const ORDER = [
  ...["id", "name", "description", "use", "enabled", "priority", "cooldown_secs", "tags", "run_mode", "max_queued"],
  ...["catch_up_secs", "inputs", "variables", "trigger_label", "trigger", "triggers", "trigger_condition"],
  ...["required_expression", "conditions", "actions"],
];

/** Throws HubError `invalid` for what no file can hold. What TOML cannot hold (null) is written as RON. */
export function textOf(rule: JsonObject, { format, shape }: { format?: RuleFormat; shape: RuleShape }): string {
  const place = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  const ordered = Object.fromEntries(Object.entries(rule).sort(([a], [b]) => place(a) - place(b)));
  return (format === "toml" ? tomlText(ordered) : undefined) ?? writeRon(ordered, shape);
}

function tomlText(rule: JsonObject): string | undefined {
  try {
    const text = stringifyToml(rule);
    return jsonEqual(readRuleText(text).value, rule) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes an id into the text of a rule without one, and touches nothing else. A file that cannot be written gets an id
 * made from its name. `known` is the id that the file's rule has had so far: an id that somebody empties stays the
 * same.
 */
export function createIdGiver(folder: string, random: RandomBytes, trouble: Pick<StorageTrouble, "note">) {
  return function giveId(file: string, text: string, known: string | undefined): GivenId {
    const path = join(folder, file);
    const edited = replaceId(text, known ?? uuid(random));
    try {
      if (!edited.ok) throw new Error(edited.problems[0]?.message);
      if (writeRuleFile(path, edited.text, text)) return { text: edited.text };
      // Saved again at this very moment: the folder's watch finds it.
      return { text, id: known ?? idFromFileName(file) };
    } catch (error) {
      trouble.note(error);
      const id = known ?? idFromFileName(file);
      return {
        text,
        id,
        warning: `there is no id in it, and none can be written into it: ${messageOf(error)}. It runs as ${id}`,
      };
    }
  };
}
