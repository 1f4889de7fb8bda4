// Whatever an author writes, and whatever stands in its placeholders, every dialect is written so that its service accepts it, in
// bounded time, and a person reads the same words in all of them.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clean } from "../../../src/kit/text/clean-text.ts";
import type { Piece } from "../../../src/kit/text/template.ts";
import type { Dialect } from "../../../src/reach/notify/markup/dialect.ts";
import { TELEGRAM_TAGS } from "../../../src/reach/notify/markup/html-problem.ts";
import { commonMarkdown, plain, plainAndHtml, pushoverHtml } from "../../../src/reach/notify/markup/plain-dialects.ts";
import { AUTHORS_MARKUPS, type AuthorsMarkup, readMarkup } from "../../../src/reach/notify/markup/read.ts";
import type { RichText } from "../../../src/reach/notify/markup/rich-text.ts";
import { telegramDialects } from "../../../src/reach/notify/markup/telegram-dialects.ts";
import { writtenFor } from "../../../src/reach/notify/markup/written-for.ts";
import { examples } from "../../support/examples.ts";
import { BOMBS, hardText, textIn } from "./authors-texts.ts";
import { parsers } from "./telegram-parsers.ts";

const telegram = Object.entries(telegramDialects) as [keyof typeof telegramDialects, Dialect][];
const cleaned = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece) => ("markup" in piece ? { markup: clean(piece.markup) } : { value: clean(piece.value) }));

/** Without what dialects add or need: quotes' signs, bullets' spaces, addresses and white space. */
const words = (text: string): string => text.replace(/[\s>\u2060\u200b'`]|\(https?:[^\s]*/g, "");

const textOf = (text: RichText): string => text.map(({ runs }) => runs.map((run) => run.text).join("")).join("\n");

describe.each(AUTHORS_MARKUPS)("what is written in %s", (markup) => {
  test.each(telegram)("is accepted by Telegram in %s, and found right before it is sent", (mode, dialect) => {
    fc.assert(
      fc.property(textIn(markup), ({ pieces }) => {
        const text = readMarkup(markup, cleaned(pieces));
        const source = dialect.write(text);
        expect(source.isWellFormed()).toBe(true);
        expect(dialect.problem?.(source)).toBeUndefined();
        const read = parsers[mode](source);
        if (mode !== "Markdown") expect(words(read.text)).toBe(words(textOf(text)));
      }),
      { numRuns: examples(1500) },
    );
  });

  test("is well-formed HTML for mail and Matrix, with none but harmless tags", () => {
    fc.assert(
      fc.property(textIn(markup), ({ pieces }) => {
        const source = plainAndHtml.html?.(readMarkup(markup, cleaned(pieces))) ?? "";
        const marked = source
          .replace(/<br>/g, "\n")
          .replace(/<div>|<\/div>/g, "")
          .replace(/<span data-mx-spoiler>/g, '<span class="tg-spoiler">');
        expect(() => parsers.HTML(marked)).not.toThrow();
        for (const [, href = ""] of source.matchAll(/href="([^"]*)"/g))
          expect(href).toMatch(/^(https?:\/\/|mailto:|tel:|tg:)/i);
      }),
      { numRuns: examples(1000) },
    );
  });

  test("shows no tags in plain text and in Pushover's HTML", () => {
    fc.assert(
      fc.property(textIn(markup), ({ pieces }) => {
        const text = readMarkup(markup, cleaned(pieces));
        expect(() => parsers.HTML(pushoverHtml.write(text))).not.toThrow();
        expect(pushoverHtml.write(text).match(/<(?!\/?[biua][\s>])/)).toBeNull();
        expect(plain.write(text).isWellFormed()).toBe(true);
      }),
      { numRuns: examples(500) },
    );
  });
});

test.each(["html", "markdown"] as const)("%s: a value is never markup, and arrives as it is", (markup) => {
  const around: Record<typeof markup, [string, string]> = {
    html: ["<b>is ", "</b> now"],
    markdown: ["**is ", "** now"],
  };
  fc.assert(
    fc.property(hardText, (given) => {
      const value = clean(given).replaceAll("\n", " ").trim();
      const [before, after] = around[markup];
      const text = readMarkup(markup, [{ markup: before }, { value: `x${value}x` }, { markup: after }]);
      expect(text).toEqual([
        {
          kind: "text",
          runs: [
            { text: `is x${value}x`, marks: ["bold"] },
            { text: " now", marks: [] },
          ],
        },
      ]);
    }),
    { numRuns: examples(1000) },
  );
});

describe("an author's text without `markup`", () => {
  test.each(telegram)("arrives in %s well-formed, whatever it is", (mode, dialect) => {
    fc.assert(
      fc.property(fc.oneof(textIn("html"), textIn("markdown")), ({ pieces }) => {
        const { message } = writtenFor(dialect, cleaned(pieces));
        expect(() => parsers[mode](message)).not.toThrow();
      }),
      { numRuns: examples(2000) },
    );
  });

  const html = [{ markup: "<b>" }, { value: "a<b" }, { markup: "</b> &amp; co" }];
  const v2 = [{ markup: "*door* 21\\.5 " }, { value: "a_b" }];
  const shared = new Set(["MarkdownV2"] as const);
  test.each<[string, Dialect, Piece[], string, string]>([
    ["HTML in HTML", telegramDialects.HTML, html, "<b>a&lt;b</b> &amp; co", ""],
    ["HTML in MarkdownV2", telegramDialects.MarkdownV2, html, "*a<b* & co", ""],
    ["HTML in Markdown", telegramDialects.Markdown, html, "*a<b* & co", ""],
    ["HTML in plain text", plain, html, "a<b & co", ""],
    ["HTML in a mail", plainAndHtml, html, "a<b & co", "<div><b>a&lt;b</b> &amp; co</div>"],
    ["MarkdownV2 in itself", telegramDialects.MarkdownV2, v2, "*door* 21\\.5 a\\_b", ""],
    ["MarkdownV2 in HTML", telegramDialects.HTML, v2, "<b>door</b> 21.5 a_b", ""],
    ["MarkdownV2 in a mail", plainAndHtml, v2, "door 21.5 a_b", "<div><b>door</b> 21.5 a_b</div>"],
    [
      "what is no HTML in plain text",
      plain,
      [{ markup: "if a <b and c> d & <anna>" }],
      "if a <b and c> d & <anna>",
      "",
    ],
    ["stars that mark nothing in plain text", plain, [{ markup: "5 * 3 * 2, a_b_c" }], "5 * 3 * 2, a_b_c", ""],
  ])("%s", (_, dialect, pieces, message, asHtml) => {
    expect(writtenFor(dialect, pieces, { shared })).toEqual({ message, ...(asHtml && { html: asHtml }) });
  });

  test("of one channel alone, Markdown is nothing special to a channel that has none", () => {
    expect(writtenFor(plain, v2).message).toBe("*door* 21\\.5 a_b");
  });

  test.each<[keyof typeof telegramDialects, string, string, string]>([
    ["HTML", "<b>door <i>open</b>", "<b>door <i>open</i></b>", "<i> is not closed before </b>"],
    ["HTML", "one<br>two <h1>x</h1> a < b", "one\ntwo \n\n<b>x</b>\n a &lt; b", "there is no tag <br> there"],
    ["MarkdownV2", "*door* is 21.5 (open)", "*door* is 21\\.5 \\(open\\)", "the character . is written \\."],
    ["MarkdownV2", "*door is open", "door is open", "* is not closed"],
    ["Markdown", "*door* a_b", "*door* a\\_b", "_ is not closed"],
  ])("in %s, %s is mended, and its author learns of it", (mode, source, message, note) => {
    const written = writtenFor(telegramDialects[mode], [{ markup: source }]);
    expect(written.message).toBe(message);
    expect(written.note).toStartWith(`its markup was mended: ${note}`);
  });
});

test("HTML of people", () => {
  const source =
    "<h2>Alarm</h2>\n<p>The <b>door <i>in hall</b> is</i> open.</p><ul><li>one</li><li>two</li></ul>" +
    "<blockquote>q <b>a\nb</b></blockquote>see <a href='https://x.org/?q=1&amp;r=2'>the p&auml;ge</a> <anna@x.org>" +
    "<pre>if a < b:\n  `x`</pre> colder than <limit";
  const text = readMarkup("html", [{ markup: source }]);
  expect(plain.write(text)).toBe(
    "Alarm\n\nThe door in hall is open.\n\n• one\n• two\n> q a\n> b\nsee the päge (https://x.org/?q=1&r=2) <anna@x.org>\n" +
      "if a < b:\n  `x`\ncolder than <limit",
  );
  expect(commonMarkdown.write(text)).toStartWith(
    "**Alarm**\n\nThe **door** ***in hall*** *is* open.\n\n• one  \n• two\n\n> q **a**  \n> **b**\n",
  );
  expect(telegramDialects.MarkdownV2.write(text)).toContain(">q *a*\n>*b*\n");
});

test("Markdown of people, with line breaks in a quote", () => {
  const source =
    "# Alarm\n**door** *is* `open` ~~no~~ ||secret|| 5 * 3\n\n- one\n- two\n\n> a **b\n> c**\n\n[page](https://x.org)";
  const text = readMarkup("markdown", [{ markup: source }]);
  expect(telegramDialects.HTML.write(text)).toBe(
    "<b>Alarm</b>\n<b>door</b> <i>is</i> <code>open</code> <s>no</s> <tg-spoiler>secret</tg-spoiler> 5 * 3\n\n• one\n• two\n" +
      '<blockquote>a <b>b\nc</b></blockquote>\n<a href="https://x.org">page</a>',
  );
  expect(telegramDialects.MarkdownV2.write(text)).toContain("\n>a *b*\n>*c*\n");
});

test("what CommonMark escapes is read as it was", () => {
  fc.assert(
    fc.property(hardText, (given) => {
      const value = `x${clean(given).replace(/\s+/g, " ")}x`;
      const again = readMarkup("markdown", [{ markup: commonMarkdown.compose([{ value }]) }]);
      expect(
        again
          .flatMap(({ runs }) => runs.map(({ text }) => text))
          .join("")
          .replaceAll("\u2060", ""),
      ).toBe(value);
    }),
    { numRuns: examples(1000) },
  );
});

describe.each(["html", "markdown"] as AuthorsMarkup[])("bombs in %s", (markup) => {
  test.each([30_000, examples(1_000_000, 100_000)])(
    "of %d characters are read and written in bounded time",
    (length) => {
      const slow: string[] = [];
      for (const bomb of BOMBS) {
        const source = clean(bomb.repeat(Math.ceil(length / bomb.length)));
        // Other work on this machine does not count.
        const begun = process.cpuUsage();
        const text = readMarkup(markup, [{ markup: source }]);
        for (const [, dialect] of telegram) dialect.write(text);
        plain.write(text);
        plainAndHtml.html?.(text);
        const { user, system } = process.cpuUsage(begun);
        const took = (user + system) / 1000;
        if (took > 5000) slow.push(`${bomb}: ${took} ms`);
      }
      expect(slow).toEqual([]);
    },
  );
});

test("the tags that are known to be refused are those that Telegram's parser refuses", () => {
  for (const tag of TELEGRAM_TAGS) {
    if (["span", "tg-emoji", "tg-time"].includes(tag)) continue;
    expect(parsers.HTML(`<${tag}>x</${tag}>`).text).toBe("x");
  }
});
