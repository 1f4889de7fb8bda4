// The rule files as the hub holds them: the text of each, the version of it that runs, and which file an id belongs to.
// Every change of a file comes in here.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { jsonEqual } from "../../kit/schema/json.ts";
import { problemAt } from "../../kit/schema/text-places.ts";
import { formatOfName, type RuleFormat } from "../parse/detect.ts";
import { type FileProblem, unforeseen } from "../read/file-problem.ts";
import type { Rule } from "../read/rule.ts";
import { readRuleFile } from "./disk.ts";
import type { GoodVersion, RuleReader } from "./read-rule.ts";

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
  /** The id of the blueprint that the present text uses, if it uses one. */
  readonly uses: string | undefined;
  /** Known to be there, and not read yet. */
  readonly loading: boolean;
}

/** A rule file with the id it is listed under: its rule's, or its name where it has none or only another file's. */
export interface ListedFile extends RuleFile {
  readonly id: string;
}

export interface RuleFilesOptions {
  folder: string;
  log: Log;
  /** Gives a rule without an id one, in the file itself where it can. */
  giveId: (file: string, text: string, known: string | undefined) => GivenId;
  reader: RuleReader;
  runner: RuleRunner;
}

export interface GivenId {
  text: string;
  /** For a text that still has none. */
  id?: string;
  /** Why none was written into it. */
  warning?: string;
}

/** What runs the rules. */
export interface RuleRunner {
  /** A new rule, or a new version of one. */
  put(rule: Rule, file: string): void;
  remove(id: string): void;
}

type Entry = { -readonly [Key in keyof RuleFile]: RuleFile[Key] };

export function createRuleFiles(options: RuleFilesOptions): RuleFiles {
  return new RuleFiles(options);
}

export class RuleFiles {
  readonly #options: RuleFilesOptions;
  readonly #entries = new Map<string, Entry>();
  /** Id → file. */
  readonly #owners = new Map<string, string>();

  constructor(options: RuleFilesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Lists these from now on; what they say is known when each is loaded. */
  expect(files: readonly string[]): void {
    for (const file of files) {
      if (!this.#entries.has(file)) this.#entries.set(file, { ...newEntry(file), loading: true });
    }
  }

  /** Reads the file again, and lets the rule in it run; a file that has gone takes its rule with it. A bound function. */
  readonly load = (file: string): void => {
    const read = readRuleFile(join(this.#options.folder, file));
    if (!read) {
      this.#forget(file);
      return;
    }
    const entry = this.#entries.get(file) ?? newEntry(file);
    this.#entries.set(file, entry);
    entry.loading = false;
    if (!read.ok) this.#refuse(entry, { text: undefined, problems: [read.problem] });
    else if (read.text !== entry.text) this.#take(entry, read.text);
  };

  /** Reads the rules that use a blueprint again, after it has changed. A bound function. */
  readonly rereadUsers = (blueprint: string): void => {
    for (const entry of this.#sorted(({ uses }) => uses === blueprint)) {
      if (entry.text !== undefined) this.#take(entry, entry.text);
    }
  };

  /** The rules whose files use a blueprint, by name of the file. */
  usersOf(blueprint: string): { id: string; name: string }[] {
    const users = this.list().filter(({ uses }) => uses === blueprint);
    return users.map(({ id, good, file }) => ({ id, name: good?.rule.name ?? file }));
  }

  /** By name of the file. */
  list(): ListedFile[] {
    const taken = new Set(this.#owners.keys());
    return this.#sorted().map((entry) => {
      const { good, file, claimedId = "" } = entry;
      const id = good?.rule.id ?? (claimedId === "" || taken.has(claimedId) ? file : claimedId);
      taken.add(id);
      return { ...entry, id };
    });
  }

  /** Those whose present text does not run, by name. Called often, and cheap where there are none. */
  broken(): RuleFile[] {
    return this.#sorted(({ problems }) => problems.length > 0);
  }

  /** Throws HubError `not_found`. */
  get(id: string): ListedFile {
    const entry = this.#entries.get(this.#owners.get(id) ?? "");
    const found = entry ? { ...entry, id } : this.list().find((file) => file.id === id);
    if (!found) throw new HubError("not_found", `there is no rule "${id}"`);
    return found;
  }

  at(file: string): ListedFile | undefined {
    const entry = this.#entries.get(file);
    if (entry?.good) return { ...entry, id: entry.good.rule.id };
    return entry && this.list().find((other) => other.file === file);
  }

  /** The file whose rule has this id. */
  ownerOf(id: string): string | undefined {
    return this.#owners.get(id);
  }

  /** Whatever is thrown on the way is this file's problem: the others go on. */
  #take(entry: Entry, found: string): void {
    try {
      this.#judge(entry, found);
    } catch (error) {
      this.#refuse(entry, { text: found, problems: [unforeseen(found, error)] });
    }
  }

  #judge(entry: Entry, found: string): void {
    const { reader, giveId } = this.#options;
    const { file } = entry;
    const first = reader.read(found, { file });
    const given = first.lacksId ? giveId(file, found, entry.good?.rule.id) : undefined;
    const text = given?.text ?? found;
    const read = given ? reader.read(text, { file, id: given.id }) : first;
    const { format, good, problems, warnings, claimedId, uses } = read;
    Object.assign(entry, { format, claimedId, uses });
    entry.warnings = given?.warning === undefined ? warnings : [atId(text, given.warning), ...warnings];
    const twin = good && this.#twinOf(entry, good.rule.id);
    if (twin !== undefined) this.#refuse(entry, { text, problems: [atId(text, sameId(file, twin))] });
    else if (good) this.#run(entry, { text, good });
    else this.#refuse(entry, { text, problems });
  }

  #refuse(entry: Entry, { text, problems }: Pick<RuleFile, "text" | "problems">): void {
    Object.assign(entry, { text, problems });
    const { line, column, message = "" } = problems[0] ?? {};
    const runs = entry.good ? "its last good version" : "nothing";
    this.#options.log.warn("a rule file has problems", { file: entry.file, line, column, problem: message, runs });
  }

  #run(entry: Entry, { text, good }: { text: string; good: GoodVersion }): void {
    const before = entry.good?.rule;
    const { id } = good.rule;
    if (!before || !jsonEqual(before, good.rule)) this.#put(entry, good.rule);
    this.#owners.set(id, entry.file);
    Object.assign(entry, { text, good, problems: [] });
    if (before && before.id !== id) this.#release(before.id);
  }

  #put(entry: Entry, rule: Rule): void {
    const { runner } = this.#options;
    try {
      runner.put(rule, entry.file);
    } catch (error) {
      // Half of it may be running.
      if (entry.good?.rule.id === rule.id) entry.good = undefined;
      if (this.#owners.get(rule.id) === entry.file) this.#owners.delete(rule.id);
      runner.remove(rule.id);
      throw error;
    }
  }

  /** The id is free again: the rule is removed, or replaced by that of another file with the same id. */
  #release(id: string): void {
    this.#owners.delete(id);
    const [heir] = this.#sorted(({ claimedId, problems }) => claimedId === id && problems.length > 0);
    if (heir?.text !== undefined) this.#take(heir, heir.text);
    if (!this.#owners.has(id)) this.#options.runner.remove(id);
  }

  #forget(file: string): void {
    const entry = this.#entries.get(file);
    this.#entries.delete(file);
    if (entry?.good) this.#release(entry.good.rule.id);
  }

  /** The file that has this id already, unless the id passes on to the entry. */
  #twinOf(entry: Entry, id: string): string | undefined {
    const owner = this.#entries.get(this.#owners.get(id) ?? "");
    if (!owner || owner === entry) return undefined;
    const exists = statSync(join(this.#options.folder, owner.file), { throwIfNoEntry: false })?.isFile();
    const hasId = owner.claimedId === undefined || owner.claimedId === id;
    if (exists && hasId) return owner.file;
    // The file was renamed to the entry's name, or its text has another id by now, which may belong to a third file.
    if (!exists) this.#entries.delete(owner.file);
    if (!entry.good) entry.good = owner.good;
    owner.good = undefined;
    this.#owners.set(id, entry.file);
    return undefined;
  }

  #sorted(which: (entry: Entry) => boolean = () => true): Entry[] {
    return Array.from(this.#entries.values().filter(which)).sort((a, b) => (a.file < b.file ? -1 : 1));
  }
}

function newEntry(file: string): Entry {
  return {
    file,
    text: undefined,
    format: formatOfName(file),
    good: undefined,
    problems: [],
    warnings: [],
    claimedId: undefined,
    uses: undefined,
    loading: false,
  };
}

function atId(text: string, message: string): FileProblem {
  const offset = Math.max(0, text.search(/(?<=^|[\s({,])"?id"?\s*[:=]/));
  return { path: "id", ...problemAt(text, { offset, message }) };
}

function sameId(file: string, twin: string): string {
  return `${file} has the id of ${twin}, whose rule goes on; write id = "" here, and the hub writes a new one`;
}
