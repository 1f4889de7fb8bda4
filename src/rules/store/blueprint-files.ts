// The blueprints as the hub holds them: those of the folder and those of the executable, which a file of the same name
// replaces. Every change of a file comes in here.
import { join } from "node:path";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { problemAt } from "../../kit/schema/text-places.ts";
import { type Blueprint, readBlueprint } from "../blueprints/read-blueprint.ts";
import type { BlueprintFinder, FoundBlueprint } from "../blueprints/use.ts";
import type { RuleFormat } from "../parse/detect.ts";
import type { RuleShape } from "../parse/shape.ts";
import type { FileProblem } from "../read/file-problem.ts";
import { readRuleFile } from "./disk.ts";

export interface BlueprintFile {
  readonly id: string;
  /** Its name. */
  readonly file: string;
  readonly source: "shipped" | "own";
  /** Whether it stands in front of one that is part of the hub. */
  readonly shadows: boolean;
  readonly format: RuleFormat;
  /** Undefined where it cannot be read. */
  readonly text: string | undefined;
  /** There when there are no problems. */
  readonly blueprint: Blueprint | undefined;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

export interface BlueprintFilesOptions {
  folder: string;
  /** File name → text. */
  shipped: ReadonlyMap<string, string>;
  shape: RuleShape;
  checkExpression(text: string): string | undefined;
  /** A blueprint may be another one now, or gone. */
  onChange(id: string): void;
}

const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export class BlueprintFiles implements BlueprintFinder {
  readonly #options: BlueprintFilesOptions;
  /** By name of the file. */
  readonly #own = new Map<string, BlueprintFile>();
  readonly #shippedFiles: ReadonlyMap<string, string>;
  /** Read when they are first asked for. */
  readonly #shippedRead = new Map<string, BlueprintFile>();

  constructor(options: BlueprintFilesOptions) {
    this.#options = options;
    this.#shippedFiles = new Map([...options.shipped.keys()].map((file) => [idOf(file), file]));
  }

  /** Reads a file of the folder again. A bound function. */
  readonly load = (file: string): void => {
    const before = this.#own.get(file);
    const read = readRuleFile(join(this.#options.folder, file));
    if (!read) {
      if (this.#own.delete(file)) this.#changed(idOf(file));
    } else if (!read.ok) {
      this.#own.set(file, { ...this.#unread(file), problems: [read.problem] });
      this.#changed(idOf(file));
    } else if (read.text !== before?.text) {
      this.#own.set(file, this.#read(file, read.text, "own"));
      this.#changed(idOf(file));
    }
  };

  /** What a text would be under this name. */
  read(file: string, text: string): BlueprintFile {
    return this.#read(file, text, "own");
  }

  /** By id. */
  list(): BlueprintFile[] {
    const ids = new Set([...this.#shippedFiles.keys(), ...[...this.#own.keys()].map(idOf)]);
    return [...ids].sort().flatMap((id) => this.at(id) ?? []);
  }

  /** Own files that cannot be used, of those with the same id the ones behind the first as well. */
  broken(): BlueprintFile[] {
    return [...this.#own.values()]
      .map((one) =>
        this.#firstOf(one.id) === one ? one : { ...one, problems: [...one.problems, twin(one, this.#firstOf(one.id))] },
      )
      .filter(({ problems }) => problems.length > 0);
  }

  /** Undefined where there is none. */
  at(id: string): BlueprintFile | undefined {
    return this.#firstOf(id) ?? this.#shipped(id);
  }

  get ownCount(): number {
    return this.#own.size;
  }

  hasShipped(id: string): boolean {
    return this.#shippedFiles.has(id);
  }

  find(id: string): FoundBlueprint {
    const found = this.at(id);
    if (found?.blueprint) return { ok: true, blueprint: found.blueprint };
    if (found)
      return {
        ok: false,
        message: `the blueprint "${id}" has problems${placeOf(found)}: mend rules/blueprints/${found.file}`,
      };
    const ids = this.list().map((one) => one.id);
    const meant = didYouMean(id, ids);
    return {
      ok: false,
      message: `there is no blueprint "${id}"${meant === "" ? `; there are ${ids.join(", ")}` : meant}`,
    };
  }

  #changed(id: string): void {
    this.#options.onChange(id);
  }

  #firstOf(id: string): BlueprintFile | undefined {
    return [...this.#own.values()].filter((one) => one.id === id).sort((a, b) => (a.file < b.file ? -1 : 1))[0];
  }

  #shipped(id: string): BlueprintFile | undefined {
    const file = this.#shippedFiles.get(id);
    if (file === undefined) return undefined;
    const known = this.#shippedRead.get(id) ?? this.#read(file, this.#options.shipped.get(file) ?? "", "shipped");
    this.#shippedRead.set(id, known);
    return known;
  }

  #read(file: string, text: string, source: "shipped" | "own"): BlueprintFile {
    const { shape, checkExpression } = this.#options;
    const id = idOf(file);
    const read = readBlueprint(text, { shape, checkExpression, id, file, isTried: source === "shipped" });
    const named = ID.test(id) ? [] : [problemAt(text, { offset: 0, message: NAME })];
    const problems = [...named, ...read.problems];
    const blueprint = problems.length === 0 ? read.blueprint : undefined;
    const shadows = source === "own" && this.#shippedFiles.has(id);
    return { ...this.#unread(file), ...read, source, shadows, text, problems, blueprint };
  }

  #unread(file: string): BlueprintFile {
    const id = idOf(file);
    return {
      ...{
        id,
        file,
        source: "own",
        shadows: this.#shippedFiles.has(id),
        format: file.endsWith(".ron") ? "ron" : "toml",
      },
      ...{ text: undefined, blueprint: undefined, problems: [], warnings: [] },
    };
  }
}

const NAME =
  "the name of the file is what rules write after `use`: small letters, digits, - and _, such as motion-light.toml";

function idOf(file: string): string {
  return file.replace(/\.[^.]*$/, "");
}

function twin({ text = "", id }: BlueprintFile, first: BlueprintFile | undefined): FileProblem {
  return problemAt(text, {
    offset: 0,
    message: `${first?.file} is the blueprint "${id}" already: rename or remove one of them`,
  });
}

function placeOf({ problems: [first] }: BlueprintFile): string {
  return first ? ` (line ${first.line}: ${first.message})` : "";
}
