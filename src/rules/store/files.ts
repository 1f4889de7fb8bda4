// The rule files as the hub holds them: what each says now, which version of it runs, and whose an id is. Whatever changes
// a file, its text comes in here.
import { statSync } from "node:fs";
import { join } from "node:path";
import { HubError } from "../../core/errors.ts";
import { jsonEqual } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { problemAt } from "../../core/text-places.ts";
import type { RuleFormat } from "../parse/detect.ts";
import type { Rule } from "../rule.ts";
import { readRuleFile } from "./disk.ts";
import type { GivenId } from "./give-id.ts";
import { type FileProblem, type GoodVersion, type RuleReader, unforeseen } from "./understand.ts";

/** One rule file. */
export interface RuleFile {
  /** Its name. */
  readonly file: string;
  /** Undefined where it cannot be read. */
  readonly text: string | undefined;
  readonly format: RuleFormat;
  /** The version that runs: the present one, or where that has problems the last without. */
  readonly good: GoodVersion | undefined;
  /** Why the present text does not run. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** The id in the text, which may be another file's. */
  readonly claimedId: string | undefined;
  /** Known to be there, and not read yet. */
  readonly loading: boolean;
}

/** A rule file under the id it is listed by: its rule's, or where it has none, or another file's, its name. */
export interface ListedFile extends RuleFile {
  readonly id: string;
}

export interface RuleFiles {
  /** Lists these from now on; what they say is known when each is loaded. */
  expect(files: readonly string[]): void;
  /** Reads the file anew, as it is now, and does what follows; also where it has gone. */
  load(file: string): void;
  /** By name of the file. */
  list(): ListedFile[];
  /** Those whose present text does not run, by name. Asked often, and costs little where there are none. */
  broken(): RuleFile[];
  /** Throws HubError `not_found`. */
  get(id: string): ListedFile;
  at(file: string): ListedFile | undefined;
  /** The file whose rule has this id. */
  ownerOf(id: string): string | undefined;
  readonly size: number;
}

export interface RuleFilesOptions {
  folder: string;
  log: Log;
  /** Sees to an id, in the file itself where it can. */
  giveId: (file: string, text: string, known: string | undefined) => GivenId;
  reader: RuleReader;
  runner: RuleRunner;
}

/** What runs the rules. */
export interface RuleRunner {
  /** A new rule, or a new version of one. */
  put(rule: Rule, file: string): void;
  remove(id: string): void;
}

type Entry = { -readonly [Key in keyof RuleFile]: RuleFile[Key] };

export function createRuleFiles({ folder, log, giveId, reader, runner }: RuleFilesOptions): RuleFiles {
  const entries = new Map<string, Entry>();
  // Id → file.
  const owners = new Map<string, string>();

  function load(file: string): void {
    const read = readRuleFile(join(folder, file));
    if (!read) {
      forget(file);
      return;
    }
    const entry = entries.get(file) ?? newEntry(file);
    entries.set(file, entry);
    entry.loading = false;
    if (!read.ok) refuse(entry, { text: undefined, problems: [read.problem] });
    else if (read.text !== entry.text) take(entry, read.text);
  }

  /** Whatever is thrown on the way is this file's problem: the others go on. */
  function take(entry: Entry, found: string): void {
    try {
      judge(entry, found);
    } catch (error) {
      refuse(entry, { text: found, problems: [unforeseen(found, error)] });
    }
  }

  function judge(entry: Entry, found: string): void {
    const first = reader.understand(found);
    const given = first.lacksId ? giveId(entry.file, found, entry.good?.rule.id) : undefined;
    const text = given?.text ?? found;
    const { format, good, problems, warnings, claimedId } = given ? reader.understand(text, given.id) : first;
    Object.assign(entry, { format, claimedId });
    entry.warnings = given?.warning === undefined ? warnings : [atId(text, given.warning), ...warnings];
    const twin = good && twinOf(entry, good.rule.id);
    if (twin !== undefined) refuse(entry, { text, problems: [atId(text, sameId(entry.file, twin))] });
    else if (good) run(entry, { text, good });
    else refuse(entry, { text, problems });
  }

  function refuse(entry: Entry, { text, problems }: Pick<RuleFile, "text" | "problems">): void {
    Object.assign(entry, { text, problems });
    const { line, column, message = "" } = problems[0] ?? {};
    const runs = entry.good ? "its last good version" : "nothing";
    log.warn("a rule file has problems", { file: entry.file, line, column, problem: message, runs });
  }

  function run(entry: Entry, { text, good }: { text: string; good: GoodVersion }): void {
    const before = entry.good?.rule;
    const { id } = good.rule;
    if (!before || !jsonEqual(before, good.rule)) put(entry, good.rule);
    owners.set(id, entry.file);
    Object.assign(entry, { text, good, problems: [] });
    if (before && before.id !== id) release(before.id);
  }

  function put(entry: Entry, rule: Rule): void {
    try {
      runner.put(rule, entry.file);
    } catch (error) {
      // Half of it may be running.
      if (entry.good?.rule.id === rule.id) entry.good = undefined;
      if (owners.get(rule.id) === entry.file) owners.delete(rule.id);
      runner.remove(rule.id);
      throw error;
    }
  }

  /** The id is free again: the rule goes, or that of a file which bears the id as well takes its place. */
  function release(id: string): void {
    owners.delete(id);
    const [heir] = sorted(({ claimedId, problems }) => claimedId === id && problems.length > 0);
    if (heir?.text !== undefined) take(heir, heir.text);
    if (!owners.has(id)) runner.remove(id);
  }

  function forget(file: string): void {
    const entry = entries.get(file);
    entries.delete(file);
    if (entry?.good) release(entry.good.rule.id);
  }

  /** Another file with this id, which has it by right. */
  function twinOf(entry: Entry, id: string): string | undefined {
    const owner = entries.get(owners.get(id) ?? "");
    if (!owner || owner === entry) return undefined;
    const exists = statSync(join(folder, owner.file), { throwIfNoEntry: false })?.isFile();
    const bears = owner.claimedId === undefined || owner.claimedId === id;
    if (exists && bears) return owner.file;
    // It was renamed, and hands its rule on; or it bears another id by now, which it may not have yet.
    if (!exists) entries.delete(owner.file);
    if (!entry.good) entry.good = owner.good;
    owner.good = undefined;
    owners.set(id, entry.file);
    return undefined;
  }

  function listed(): ListedFile[] {
    const taken = new Set(owners.keys());
    return sorted().map((entry) => {
      const { good, file, claimedId = "" } = entry;
      const id = good?.rule.id ?? (claimedId === "" || taken.has(claimedId) ? file : claimedId);
      taken.add(id);
      return { ...entry, id };
    });
  }

  function get(id: string): ListedFile {
    const entry = entries.get(owners.get(id) ?? "");
    const found = entry ? { ...entry, id } : listed().find((file) => file.id === id);
    if (!found) throw new HubError("not_found", `there is no rule "${id}"`);
    return found;
  }

  function at(file: string): ListedFile | undefined {
    const entry = entries.get(file);
    if (entry?.good) return { ...entry, id: entry.good.rule.id };
    return entry && listed().find((other) => other.file === file);
  }

  function sorted(which: (entry: Entry) => boolean = () => true): Entry[] {
    return Array.from(entries.values().filter(which)).sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  return {
    expect(files) {
      for (const file of files) if (!entries.has(file)) entries.set(file, { ...newEntry(file), loading: true });
    },
    load,
    list: listed,
    broken: () => sorted(({ problems }) => problems.length > 0),
    get,
    at,
    ownerOf: (id) => owners.get(id),
    get size() {
      return entries.size;
    },
  };
}

function newEntry(file: string): Entry {
  const format = file.toLowerCase().endsWith(".toml") ? "toml" : "ron";
  return {
    file,
    text: undefined,
    format,
    good: undefined,
    problems: [],
    warnings: [],
    claimedId: undefined,
    loading: false,
  };
}

function atId(text: string, message: string): FileProblem {
  const offset = Math.max(0, text.search(/(?<=^|[\s({,])"?id"?\s*[:=]/));
  return { path: "id", ...problemAt(text, { offset, message }) };
}

function sameId(file: string, twin: string): string {
  return `${file} has the id of ${twin}, whose rule goes on; write id = "" here, and a new one is put in`;
}
