// docs/adding-things.md as what it says to do: its sections, each with what its blocks do to which file, and its table's promises.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Step {
  /** Relative to the repository. */
  file: string;
  language: string;
  block: string;
}

export interface Section {
  title: string;
  steps: Step[];
}

export interface Promised {
  /** The title of its section, as links have it. */
  anchor: string;
  /** Paths, in which `<…>` stands for a name. */
  files: string[];
  /** "where it is used": files of src that no path of the table names. */
  elsewhere: boolean;
}

const PATH = /`((?:src|test|docs|config|plugins|rules)\/[^`\s]+\.\w+|build\.ts)`/g;

/** The page, with the number of the next migration. */
export function readPage(root: string): string {
  const numbers = readdirSync(join(root, "src/server/db/migrations")).flatMap((name) => /^\d{4}/.exec(name)?.[0] ?? []);
  const next = String(Math.max(...numbers.map(Number)) + 1).padStart(4, "0");
  return readFileSync(join(root, "docs/adding-things.md"), "utf8").replaceAll("NNNN", next);
}

/** A block belongs to the path that was named last before it. */
export function sectionsOf(page: string): Section[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const steps: Step[] = [];
      let before = 0;
      for (const match of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
        const [, language = "", block = ""] = match;
        const file = [...text.slice(before, match.index).matchAll(PATH)].at(-1)?.[1];
        if (file === undefined) throw new Error(`no file is named before the block ${block.slice(0, 60)}`);
        steps.push({ file, language, block });
        before = match.index + match[0].length;
      }
      return { title: text.slice(0, text.indexOf("\n")), steps };
    });
}

export function promisesOf(page: string): Promised[] {
  return [...page.matchAll(/^\| \[.*?\]\(#([\w-]+)\) *\|(.*?)\|(.*?)\|/gm)].map(
    ([, anchor = "", created = "", changed = ""]) => ({
      anchor,
      files: [...`${created} ${changed}`.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
      elsewhere: changed.includes("where it is "),
    }),
  );
}

export const anchorOf = (title: string): string => title.toLowerCase().replace(/,/g, "").replaceAll(" ", "-");

/** Does what a block says, and answers which file it touched. */
export function apply(root: string, { file, language, block }: Step): string {
  const path = join(root, file);
  if (language === "diff") {
    writeFileSync(path, patched(readFileSync(path, "utf8"), block, file));
  } else if (existsSync(path)) {
    writeFileSync(path, `${readFileSync(path, "utf8")}\n${block}`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block);
  }
  return file;
}

function patched(text: string, diff: string, file: string): string {
  return diff
    .trimEnd()
    .split(/^@@.*\n/m)
    .reduce((lines, hunk) => withHunk(lines, hunk.trimEnd().split("\n"), file), text.split("\n"))
    .join("\n");
}

/** Its lines are found wherever they are, however they are indented and however wide a table is, but just once. */
function withHunk(lines: readonly string[], hunk: readonly string[], file: string): string[] {
  const bare = (line: string): string => line.replace(/-{3,}/g, "---").replace(/\s+/g, " ").trim();
  const before = hunk.filter((line) => !line.startsWith("+")).map((line) => bare(line.slice(1)));
  const places = lines
    .keys()
    .filter((at) => before.every((line, index) => bare(lines[at + index] ?? "") === line))
    .toArray();
  const [at] = places;
  if (at === undefined || places.length > 1)
    throw new Error(`${file}: its lines stand there ${places.length} times, not once:\n${hunk.join("\n")}`);
  let kept = at;
  const after = hunk.flatMap((line) => {
    if (line.startsWith("+")) return [line.slice(1)];
    const own = lines[kept++] ?? "";
    return line.startsWith("-") ? [] : [own];
  });
  return [...lines.slice(0, at), ...after, ...lines.slice(at + before.length)];
}
