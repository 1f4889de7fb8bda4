// The search of the help: the index comes with the first key that is pressed, and what is found stands in the place of the page.
import MiniSearch, { type SearchResult } from "minisearch";
import { once } from "../../browser/once.ts";
import { type Findable, SEARCH } from "../search-options.ts";

const MAX_HITS = 20;

const input = document.querySelector<HTMLInputElement>("[type=search]");
const found = document.querySelector<HTMLElement>(".found");
const content = document.querySelector<HTMLElement>("article");

const load = once(async () => {
  const answer = await fetch(document.body.dataset.index ?? "");
  return MiniSearch.loadJSON<Findable>(await answer.text(), SEARCH);
});

async function show(): Promise<void> {
  if (!input || !found || !content) return;
  const asked = input.value.trim();
  if (asked !== "") found.replaceChildren(element("h1", {}, `“${asked}”`), ...(await answerTo(asked)));
  // Somebody went on typing meanwhile.
  if (asked !== input.value.trim()) return;
  found.hidden = asked === "";
  content.hidden = asked !== "";
}

async function answerTo(asked: string): Promise<HTMLElement[]> {
  try {
    const hits = (await load()).search(asked).slice(0, MAX_HITS);
    if (hits.length === 0) return [element("p", {}, "Nothing in the help has these words.")];
    return [element("ol", {}, ...hits.map(hitOf))];
  } catch {
    return [element("p", {}, "The hub does not answer: type on to try again.")];
  }
}

function hitOf({ id, title, page, begin }: SearchResult): HTMLElement {
  const where = page === "" ? [] : [element("span", { class: "hint" }, ` ${page}`)];
  const link = element("a", { href: String(id) }, title);
  link.addEventListener("click", leave);
  return element("li", {}, link, ...where, element("p", { class: "hint" }, begin));
}

/** A hit may be on this very page. */
function leave(): void {
  if (input) input.value = "";
  void show();
}

function element(name: string, attributes: Record<string, string>, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

if (input) {
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("focus", () => void load().catch(() => undefined), { once: true });
  input.addEventListener("input", () => void show());
  input.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void show();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
  void show();
}
