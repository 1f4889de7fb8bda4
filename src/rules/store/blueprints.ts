// Blueprints for the API: the list, the text of each, and changing one's own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type FolderWatch, watchFolder } from "../../kit/files/folder-watch.ts";
import type { FolderNotices } from "../../kit/lifecycle/folder-notices.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { etagOf } from "../../kit/text/etag.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { shippedBlueprints } from "../blueprints/shipped.ts";
import type { FoundBlueprint } from "../blueprints/use.ts";
import { readRuleText } from "../parse/read.ts";
import type { RuleShape } from "../parse/shape.ts";
import { refusalOf } from "../read/file-problem.ts";
import { type BlueprintFile, BlueprintFiles } from "./blueprint-files.ts";
import { changedMeanwhile, createRuleFile, isRuleFileName, moveToTrash, removeOrphans, writeRuleFile } from "./disk.ts";

export interface BlueprintInfo extends BlueprintFile {
  /** The rules that use it. */
  readonly usedBy: readonly { id: string; name: string }[];
}

export interface BlueprintsOptions {
  folder: string;
  clock: Clock;
  /** See kit/files/folder-watch.ts. */
  notices?: FolderNotices | undefined;
  log: Log;
  shape: RuleShape;
  checkExpression(text: string): string | undefined;
  /** The rules that use a blueprint are to be read again. */
  onChange(id: string): void;
  usersOf(id: string): BlueprintInfo["usedBy"];
}

/** The folder of one's own blueprints, in that of the rules. */
export const BLUEPRINTS = "blueprints";
const MAX_FILES = 200;

/** Methods that take an id throw HubError `not_found`; those that write also `conflict`, `invalid` and `storage`. */
export class Blueprints implements Disposable {
  readonly #options: BlueprintsOptions;
  readonly #files: BlueprintFiles;
  #watch: FolderWatch | undefined;

  constructor(options: BlueprintsOptions) {
    this.#options = options;
    this.#files = new BlueprintFiles({ ...options, shipped: shippedBlueprints });
  }

  /** Reads all files of the folder and watches it from then on. */
  start(): void {
    const { clock, notices, log, folder } = this.#options;
    removeOrphans(folder);
    this.#watch = watchFolder({ clock, log, folder, notices, accepts: isRuleFileName, onChange: this.#files.load });
    for (const name of this.#watch.names) this.#files.load(name);
  }

  find(id: string): FoundBlueprint {
    return this.#files.find(id);
  }

  /** By id. */
  list(): BlueprintInfo[] {
    return this.#files.list().map((file) => this.#info(file));
  }

  get(id: string): BlueprintInfo {
    return this.#info(this.#known(id));
  }

  text(id: string): { text: string; etag: string } {
    const { text, file, problems } = this.#known(id);
    if (text === undefined) throw new HubError("conflict", `${file}: ${problems[0]?.message ?? "cannot be read"}`);
    return { text, etag: etagOf(text) };
  }

  /** A new own one where there is none; for one of the hub's, an own one in its place. `etag`: of the text that was edited. */
  putText(id: string, text: string, etag?: string): BlueprintInfo {
    const known = this.#files.at(id);
    const own = known?.source === "own" ? known : undefined;
    const file = own?.file ?? `${id}.${readRuleText(text, { file: "x.toml" }).format}`;
    if (own) this.#files.load(own.file);
    const now = this.#files.at(id);
    if (etag !== undefined && etag !== "*" && (now?.text === undefined || etag !== etagOf(now.text)))
      throw changedMeanwhile(file);
    const read = this.#files.read(file, text);
    if (read.problems.length > 0) throw refusalOf(read.problems);
    const path = join(this.#options.folder, file);
    if (own) {
      const expected = etag === undefined || etag === "*" ? undefined : now?.text;
      if (text !== now?.text && !writeRuleFile(path, text, expected)) throw changedMeanwhile(file);
    } else {
      if (this.#files.ownCount >= MAX_FILES)
        throw new HubError("conflict", `there are ${MAX_FILES} blueprints: remove some`);
      mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
      if (!createRuleFile(path, text)) throw changedMeanwhile(file);
    }
    this.#files.load(file);
    return this.get(id);
  }

  /** Moves an own file to the trash of the folder. */
  remove(id: string): void {
    const { source, file } = this.#known(id);
    if (source === "shipped") throw new HubError("conflict", `the blueprint "${id}" is part of the hub and stays`);
    moveToTrash(this.#options.folder, file, this.#options.clock.now());
    this.#files.load(file);
  }

  /** Own ones that cannot be used, with the paths of their files. */
  problems(): { file: string; path: string; line: number; message: string }[] {
    return this.#files.broken().flatMap(({ file, problems: [first] }) => {
      if (!first) return [];
      const { path = "", line, message } = first;
      return [{ file: join(this.#options.folder, file), path, line, message }];
    });
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }

  #known(id: string): BlueprintFile {
    const found = this.#files.at(id);
    if (!found) throw new HubError("not_found", `there is no blueprint "${id}"`);
    return found;
  }

  #info(file: BlueprintFile): BlueprintInfo {
    return { ...file, usedBy: this.#options.usersOf(file.id) };
  }
}
