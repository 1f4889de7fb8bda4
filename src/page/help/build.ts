// Makes the help of the documents: pages, a style and a script with hashed names, and the index that the script searches.
import { join } from "node:path";
import MiniSearch from "minisearch";
import { framed } from "./frame.ts";
import { type HelpPage, renderHelp } from "./render.ts";
import { type Findable, SEARCH } from "./search-options.ts";

export interface HelpFile {
  path: string;
  bytes: Uint8Array;
  type: string;
  /** Its name changes with its content. */
  hashed: boolean;
}

const BEGIN_CHARACTERS = 110;

/** `root`: of the checkout. */
export async function buildHelp(root: string): Promise<readonly HelpFile[]> {
  const pages = renderHelp(root);
  const source = join(root, "src", "page", "help", "client");
  const style = await bundled(join(source, "help.css"), "text/css; charset=utf-8");
  const script = await bundled(join(source, "search.ts"), "text/javascript; charset=utf-8");
  const index = named("index", "json", JSON.stringify(indexOf(pages)), "application/json");
  const files = { style: style.path, script: script.path, index: index.path };
  const html = pages.map((page): HelpFile => {
    const bytes = new TextEncoder().encode(framed(page, files));
    return { path: page.path, bytes, type: "text/html; charset=utf-8", hashed: false };
  });
  return [style, script, index, ...html];
}

async function bundled(entry: string, type: string): Promise<HelpFile> {
  const built = await Bun.build({ entrypoints: [entry], target: "browser", minify: true });
  const [output] = built.outputs;
  if (!built.success || !output) throw new AggregateError(built.logs, `bundling ${entry} failed`);
  return named("help", entry.endsWith(".css") ? "css" : "js", await output.text(), type);
}

function named(name: string, extension: string, text: string, type: string): HelpFile {
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 8);
  const path = `/help/${name}-${hash}.${extension}`;
  return { path, bytes: new TextEncoder().encode(text), type, hashed: true };
}

function indexOf(pages: readonly HelpPage[]): MiniSearch<Findable> {
  const index = new MiniSearch<Findable>(SEARCH);
  index.addAll(pages.flatMap(findablesOf));
  return index;
}

function findablesOf({ path, title: page, sections }: HelpPage): Findable[] {
  return sections.map(({ anchor, title, text }, at) => ({
    ...{ id: at === 0 ? path : `${path}#${anchor}`, title, text },
    page: at === 0 ? "" : page,
    begin: text.slice(0, BEGIN_CHARACTERS),
  }));
}
