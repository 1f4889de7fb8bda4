// The documents as pages of plain HTML below /help, and what can be found in them. Links between them lead from page to page; what is no
// document is named without a link.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import GithubSlugger from "github-slugger";
import MarkdownIt, { type Token } from "markdown-it";

export interface HelpPage {
  /** `/help/rules/time` */
  path: string;
  title: string;
  html: string;
  sections: readonly HelpSection[];
}

export interface HelpSection {
  /** Its heading's anchor; empty where the page begins. */
  anchor: string;
  title: string;
  text: string;
  /** The headings that people see beside its page's title. */
  level: number;
}

const HELP = "/help";
/** Beside docs/, as its pages lead there. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": `${HELP}/readme`,
  "plugins/README.md": `${HELP}/plugins`,
};
const DECISIONS = "docs/decisions/";

/** `root`: of the checkout. */
export function renderHelp(root: string): readonly HelpPage[] {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .filter((file) => !file.startsWith(DECISIONS));
  const decisions = roomsOf(read(`${DECISIONS}README.md`));
  const paths = new Map<string, string>([
    ...Object.entries(OTHERS),
    ...documents.map((file): [string, string] => [file, pathOf(file)]),
    [`${DECISIONS}README.md`, `${HELP}/decisions`],
    ...decisions.flatMap(({ path, files }) => files.map((file): [string, string] => [file, `${path}#${nameOf(file)}`])),
  ]);
  const page = (path: string, files: readonly Part[]): HelpPage => renderPage(path, files, paths, root);
  return [
    ...[...documents, ...Object.keys(OTHERS), `${DECISIONS}README.md`].map((file) =>
      page(paths.get(file) ?? "", [{ file, text: read(file) }]),
    ),
    ...decisions.map(({ path, title, files }) =>
      page(path, [
        { file: `${DECISIONS}README.md`, text: `# Decisions: ${title}\n` },
        ...files.map((file) => ({ file, text: read(file), within: nameOf(file) })),
      ]),
    ),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Room {
  path: string;
  title: string;
  files: readonly string[];
}

/** Decisions are short: those of a room are one page, on which each has the name of its file as its anchor. */
function roomsOf(index: string): readonly Room[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const title = text.slice(0, text.indexOf("\n"));
      const files = [...text.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, name = ""]) => `${DECISIONS}${name}`);
      return { path: `${HELP}/decisions/${new GithubSlugger().slug(title)}`, title, files };
    });
}

const nameOf = (file: string): string => file.replace(/^.*\/|\.md$/g, "");

/** `docs/rules/time.md` → `/help/rules/time` */
function pathOf(file: string): string {
  const name = file.replace(/^docs\//, "").replace(/(?:^|\/)README\.md$|\.md$/, "");
  return name === "" ? HELP : `${HELP}/${name}`;
}

interface Part {
  file: string;
  text: string;
  /** The anchor of one among several on a page. */
  within?: string;
}

function renderPage(path: string, parts: readonly Part[], paths: ReadonlyMap<string, string>, root: string): HelpPage {
  const sections: HelpSection[] = [];
  const slugger = new GithubSlugger();
  const html = parts.map(({ file, text, within }) => {
    const markdown = createMarkdown((target) => linkFrom(file, target, paths, root));
    const tokens = markdown.parse(text, {});
    giveAnchors(tokens, slugger, within);
    unhead(tokens);
    labelCells(tokens);
    sections.push(...(within === undefined ? sectionsIn(tokens) : [wholeOf(tokens, within)]));
    return markdown.renderer.render(tokens, markdown.options, {});
  });
  return { path, title: sections[0]?.title ?? path, html: html.join("\n"), sections };
}

/** Where a link of a document leads; undefined for a file that is no document of the help. */
function linkFrom(file: string, target: string, paths: ReadonlyMap<string, string>, root: string): string | undefined {
  if (/^[a-z]+:|^#/.test(target)) return target;
  const [to = "", anchor] = target.split("#");
  const named = normalize(join(dirname(file), to));
  const path = paths.get(named) ?? paths.get(`${named.replace(/\/$/, "")}/README.md`);
  if (path !== undefined) return anchor === undefined ? path : `${path}#${anchor}`;
  if (!existsSync(join(root, named))) throw new Error(`${file} leads to ${target}, which is not there`);
  return undefined;
}

function createMarkdown(link: (target: string) => string | undefined): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  // Comments for `bun run docs`, and pictures of README.md.
  rules.html_block = () => "";
  rules.html_inline = () => "";
  rules.table_open = () => `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n`;
  rules.table_close = () => "</table></div>\n";
  rules.fence = (tokens, at) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[at]?.content ?? "")}</code></pre>\n`;
  // A link that leads nowhere here is its text: the close that belongs to it is left out as well.
  const open: boolean[] = [];
  rules.link_open = (tokens, at) => {
    const target = link(String(tokens[at]?.attrGet("href") ?? ""));
    open.push(target !== undefined);
    if (target === undefined) return "";
    const away = /^[a-z]+:/.test(target) ? ` rel="noreferrer"` : "";
    return `<a href="${markdown.utils.escapeHtml(target)}"${away}>`;
  };
  rules.link_close = () => (open.pop() ? "</a>" : "");
  return markdown;
}

/** As GitHub gives them; of one document among several all headings are a level lower, and only its first has an anchor. */
function giveAnchors(tokens: readonly Token[], slugger: GithubSlugger, within: string | undefined): void {
  tokens.forEach((token, at) => {
    if (token.type !== "heading_open" && token.type !== "heading_close") return;
    const level = Number(token.tag.slice(1));
    if (within !== undefined) token.tag = `h${level + 1}`;
    if (token.type === "heading_close") return;
    if (within === undefined) token.attrSet("id", slugger.slug(textOf(tokens[at + 1])));
    else if (level === 1) token.attrSet("id", within);
  });
}

/** An empty corner of a table is the head of nothing. */
function unhead(tokens: readonly Token[]): void {
  tokens.forEach((token, at) => {
    const [inline, close] = [tokens[at + 1], tokens[at + 2]];
    if (token.type === "th_open" && inline?.content === "" && close) token.tag = close.tag = "td";
  });
}

const MIN_LABELLED_COLUMNS = 3;

/** On a phone the cells of a row stand below one another: each then says what it is, where there are more than a name and its meaning. */
function labelCells(tokens: readonly Token[]): void {
  let heads: string[] = [];
  let column = 0;
  tokens.forEach((token, at) => {
    if (token.type === "table_open") heads = [];
    else if (token.type === "th_open") heads.push(textOf(tokens[at + 1]));
    else if (token.type === "tr_open") column = 0;
    else if (token.type === "td_open") {
      const head = heads[column];
      if (column > 0 && head && heads.length >= MIN_LABELLED_COLUMNS) token.attrSet("data-label", head);
      column++;
    }
  });
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ type, content }) => (/break$/.test(type) ? " " : content)).join("");
}

const MAX_SECTION_LEVEL = 3;

function sectionsIn(tokens: readonly Token[]): HelpSection[] {
  const found: { anchor: string; title: string; level: number; texts: string[] }[] = [];
  tokens.forEach((token, at) => {
    const level = Number(token.tag.slice(1));
    if (token.type === "heading_open" && level <= MAX_SECTION_LEVEL)
      found.push({ anchor: String(token.attrGet("id")), title: textOf(tokens[at + 1]), level, texts: [] });
    else if (token.type === "fence") found.at(-1)?.texts.push(token.content);
    else if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open")
      found.at(-1)?.texts.push(textOf(token));
  });
  return found.map(({ texts, ...section }) => ({ ...section, text: texts.join(" ").replace(/\s+/g, " ") }));
}

/** A decision is found by its title and by what asked for it, so that it stays behind what tells how to do things. */
function wholeOf(tokens: readonly Token[], anchor: string): HelpSection {
  const [whole, context] = sectionsIn(tokens);
  return { anchor, title: whole?.title ?? "", level: 2, text: context?.text ?? "" };
}
