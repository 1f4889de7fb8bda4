// Texts as authors write them, well and badly, with values that are hard to show: for the parsers of tests, and for Telegram's own.
import fc from "fast-check";
import type { Piece } from "../../../src/kit/text/template.ts";
import type { AuthorsMarkup } from "../../../src/reach/notify/markup/read.ts";

export interface AuthorsText {
  markup: AuthorsMarkup;
  pieces: Piece[];
}

const HARD = [
  ..."ab1 \n_*`[]()~>#+-=|{}.!\\<&\"'/:;@é",
  ..."👍 👨‍👩‍👧 🇩🇪 日本 שלום مرحبا e\u0301".split(" "),
  ...[
    "\u202e",
    "\u200d",
    "\ud83d",
    "\udc4d",
    "\0",
    "\u0007",
    "\ufdd0",
    "\ufdd00\ufdd1",
    "\r\n",
    "\u2028",
    "```",
    "||",
    "&amp;",
    "<b>",
  ],
];
const HTML = [
  ..."<b> </b> <i> </i> <u> </u> <s> </s> <code> </code> <pre> </pre> <blockquote> </blockquote> <tg-spoiler> </tg-spoiler>".split(
    " ",
  ),
  ...[
    "<a href='https://x.org/?a=1&b=2'>",
    '<a href="javascript:x">',
    "<a>",
    "</a>",
    "<br>",
    "<br/>",
    "<p>",
    "</p>",
    "<h1>",
    "</h1>",
  ],
  ...[
    "<ul><li>",
    "</li></ul>",
    "<hr>",
    "<span class='tg-spoiler'>",
    "</span>",
    "<script>",
    "</script>",
    "<anna@x.org>",
    "<b",
    "</",
    "<!--",
  ],
  ...[
    "&lt;",
    "&uuml;",
    "&#128077;",
    "&#0;",
    "&#xD800;",
    "&nope;",
    "<pre><code class='language-js'>",
    "<table><tr><td>",
  ],
];
const MARKDOWN = [
  ...[
    "**",
    "*",
    "_",
    "__",
    "~~",
    "||",
    "`",
    "```js\n",
    "\n```\n",
    "\n\n",
    "\n> ",
    "\n>> ",
    "\n# ",
    "\n- ",
    "\n1. ",
    "\n---\n",
    "    ",
  ],
  ...[
    "[x](https://x.org/a(b)c)",
    "[",
    "](",
    ")",
    "![alt](https://x.org/p.png)",
    "<https://x.org>",
    "\\*",
    "\\\n",
    "&amp;",
    "[y](data:x)",
  ],
];

const joined = (parts: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((some) => some.join(""));

export const hardText: fc.Arbitrary<string> = joined(HARD, 25);

const SOURCES: Record<AuthorsMarkup, fc.Arbitrary<string>> = {
  html: joined([...HTML, ...HTML, ...HARD, "word", "word "], 30),
  markdown: joined([...MARKDOWN, ...MARKDOWN, ...HARD, "word", "word "], 30),
  none: hardText,
};

export function textIn(markup: AuthorsMarkup): fc.Arbitrary<AuthorsText> {
  const piece = fc.oneof(
    { weight: 3, arbitrary: SOURCES[markup].map((source): Piece => ({ markup: source })) },
    { weight: 1, arbitrary: hardText.map((value): Piece => ({ value })) },
  );
  return fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => ({ markup, pieces }));
}

/** Each as long as asked for. */
export const BOMBS = [
  ...[
    "<b>",
    "</b>",
    "<b><i>",
    "<blockquote>",
    "<pre>",
    "<a href='",
    "<a href='https://x.org'>",
    "<",
    "&",
    "&#",
    "<!--",
    "<ul><li>",
    "<x ",
    "<p>",
  ],
  ...[
    "*",
    "**",
    "_a ",
    "__",
    "~~",
    "`",
    "``` ",
    "[",
    "](",
    "[a](",
    "![",
    "> ",
    ">",
    "- ",
    "1. ",
    "#",
    "\\",
    "|| ",
    "[x](https://x.org) ",
    "*a_b*",
  ],
  ...["\ud83d", "\u202e", "👨‍👩‍👧", "e\u0301", "\u0301", "\u200d", "\n", "\ufdd0", "\ufdd01\ufdd1", "word ", "{{"],
];
