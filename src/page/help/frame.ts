// What stands around each page of the help: the way to the hub and to the beginning, the search, and what the page has.
import type { HelpPage } from "./render.ts";

export interface HelpFiles {
  style: string;
  script: string;
  index: string;
}

/** Fewer need no list of them. */
const MIN_HEADINGS = 3;

export function framed(page: HelpPage, { style, script, index }: HelpFiles): string {
  const title = page.path === "/help" ? "Help" : `${page.title} · Help`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body data-index="${index}">
<a class="skip" href="#content">To the content</a>
<header>
<nav aria-label="Places"><a href="/">Hub</a><a href="/help">Help</a></nav>
<form role="search" action="/help"><input type="search" name="q" aria-label="Search the help" placeholder="Search the help" autocomplete="off"></form>
</header>
<main id="content">
<section class="found" aria-live="polite" hidden></section>
<article>
${withContents(page)}
</article>
</main>
</body>
</html>
`;
}

/** What a long page has, behind its title. The first page is a list already. */
function withContents({ path, html, sections }: HelpPage): string {
  const headings = sections.filter(({ level }) => level === 2);
  if (path === "/help" || headings.length < MIN_HEADINGS) return html;
  const items = headings.map(({ anchor, title }) => `<li><a href="#${anchor}">${escaped(title)}</a></li>`);
  const contents = `<details class="contents"><summary>On this page</summary><ul>${items.join("")}</ul></details>\n`;
  return html.replace("</h1>\n", (end) => end + contents);
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
