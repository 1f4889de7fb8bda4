import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { html } from "../../../src/reach/notify/markup/html.ts";
import { shorten, splitText } from "../../../src/reach/notify/markup/long-text.ts";
import { markdown } from "../../../src/reach/notify/markup/markdown.ts";
import { markdownV2 } from "../../../src/reach/notify/markup/markdown-v2.ts";
import { type Markup, unmarked } from "../../../src/reach/notify/markup/markup.ts";
import { examples } from "../../support/examples.ts";
import { type ParseMode, parsers } from "./telegram-parsers.ts";

const markups: Record<ParseMode, Markup> = { HTML: html, Markdown: markdown, MarkdownV2: markdownV2, none: unmarked };
const modes = Object.keys(markups) as ParseMode[];

// What breaks messages: markup's own characters, emoji, joined emoji, letters with marks, white space.
const awkward = fc.array(
  fc.constantFrom(
    ..."ab1 \n_*`[]()~>#+-=|{}.!\\<&\"'/:;@é",
    "👍",
    "👨‍👩‍👧",
    "🇩🇪",
    "é",
    "__",
    "**",
    "```",
    "||",
    "&amp;",
    "<b>",
    "日本",
  ),
  { maxLength: 30 },
);
const value = awkward.map((parts) => parts.join(""));

describe.each(modes)("values in %s", (mode) => {
  const { [mode]: markup } = markups;
  const { [mode]: parse } = parsers;

  test("are shown as they are", () => {
    fc.assert(
      fc.property(value, (text) => {
        expect(parse(markup.escape(text))).toEqual({ text, entities: [] });
      }),
      { numRuns: examples(2000) },
    );
  });

  test.each(["a<b>_c.d&e", "👍", "👨‍👩‍👧🇩🇪", "C:\\temp\\", "{{device.x}}", '"', "***", "___", "`", "```"])(
    "%s",
    (text) => {
      expect(parse(markup.escape(text)).text).toBe(text);
    },
  );

  test("are bold in a title", () => {
    fc.assert(
      fc.property(
        value.filter((text) => text !== ""),
        (text) => {
          const read = parse(markup.bold(text));
          expect(read.text).toBe(text);
          if (mode === "none") return;
          const marked = read.entities.reduce((sum, { from, to }) => sum + to - from, 0);
          // Legacy Markdown cannot hold its own marker in bold.
          const unmarkable = mode === "Markdown" ? text.split("*").length - 1 : 0;
          expect(marked).toBe(text.length - unmarkable);
        },
      ),
      { numRuns: examples(1000) },
    );
  });

  test("are as typed again without escapes", () => {
    fc.assert(fc.property(value, (text) => expect(markup.plain(markup.escape(text))).toBe(text)));
  });
});

// The author's own markup, with a gap for a value inside each kind of it.
const AROUND: Record<Exclude<ParseMode, "none">, [string, string][]> = {
  HTML: [
    ["<b>", "</b>"],
    ["<i>x <u>", "</u></i>"],
    ["<code>", "</code>"],
    ["<pre>", "</pre>"],
    ['<a href="https://x.org/">', "</a>"],
  ],
  MarkdownV2: [
    ["*", "*"],
    ["_x __", "___"],
    ["~", "~"],
    ["||", "||"],
    ["`", "`"],
    ["```\n", "```"],
    ["[", "](https://x.org)"],
    [">", "\n"],
  ],
  Markdown: [
    ["*", "*"],
    ["_", "_"],
    ["`", "`"],
  ],
};

describe.each(Object.keys(AROUND) as (keyof typeof AROUND)[])("the author's markup in %s", (mode) => {
  test.each(AROUND[mode])("holds any value between %j and %j", (before, after) => {
    const usual = mode === "MarkdownV2" && before === ">" ? value.map((text) => text.replaceAll("\n", "")) : value;
    fc.assert(
      fc.property(usual, (text) => {
        const composed = markups[mode].compose([
          { markup: `say ${before === ">" ? "\n" : ""}${before}` },
          { value: text },
          { markup: `${after} end` },
        ]);
        const read = parsers[mode](composed);
        expect(read.text.replaceAll("\u2060", "")).toContain(text);
        const marked = read.entities.length > 0 || text === "" || /^[*_`]+$/.test(text);
        expect(marked).toBe(true);
      }),
      { numRuns: examples(1000) },
    );
  });
});

test("legacy Markdown stays valid where it cannot show a value as it is", () => {
  for (const [before, after] of [
    ["```\n", "```"],
    ["[", "](https://x.org)"],
    ["[x](https://x.org/", ")"],
  ] as const) {
    fc.assert(
      fc.property(value, (text) => {
        const composed = markdown.compose([{ markup: before }, { value: text }, { markup: `${after} *end*` }]);
        expect(parsers.Markdown(composed).text).toEndWith(" end");
      }),
    );
  }
});

test("a backslash at the end of a value does not escape the author's next marker", () => {
  const composed = markdown.compose([{ markup: "in " }, { value: "C:\\" }, { markup: "*now*" }]);
  expect(parsers.Markdown(composed)).toMatchObject({ text: "in C:\\\u2060now", entities: [{ type: "b" }] });
});

// Random well-formed markup, built from its meaning.
interface Node {
  type: string;
  text: string;
  children: Node[];
}
const tree: fc.Arbitrary<Node[]> = fc.letrec<{ nodes: Node[]; node: Node }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 6 }),
  node: fc.record({
    type: fc.constantFrom("text", "text", "b", "i", "u", "s", "code", "a", "pre"),
    text: value,
    children: fc.oneof({ maxDepth: 2 }, fc.constant<Node[]>([]), tie("nodes")),
  }),
})).nodes;

const WRITE: Record<Exclude<ParseMode, "none">, Record<string, [string, string]>> = {
  HTML: {
    b: ["<b>", "</b>"],
    i: ["<i>", "</i>"],
    u: ["<u>", "</u>"],
    s: ["<s>", "</s>"],
    code: ["<code>", "</code>"],
    pre: ["<pre>", "</pre>"],
    a: ['<a href="https://x.org/?a=1">', "</a>"],
  },
  MarkdownV2: {
    b: ["*", "*"],
    i: ["_", "_"],
    u: ["__", "__"],
    s: ["~", "~"],
    code: ["`", "`"],
    pre: ["```sh\n", "```"],
    a: ["[", "](https://x.org/\\)a)"],
  },
  Markdown: { b: ["*", "*"], i: ["_", "_"], code: ["`", "`"], pre: ["```\n", "```"], a: ["[", "](https://x.org/a)"] },
};

function write(mode: ParseMode, nodes: readonly Node[], within: readonly string[] = []): string {
  return nodes
    .map(({ type, text, children }) => {
      const around = mode === "none" ? undefined : WRITE[mode][type];
      const nests = mode === "HTML" || mode === "MarkdownV2";
      const taken =
        within.includes(type) || within.includes("code") || within.includes("pre") || (!nests && within.length > 0);
      if (!around || taken)
        return mode === "Markdown" ? legacyText(text, within.length > 0) : markups[mode].escape(text);
      const plainInside = mode === "Markdown" || type === "code" || type === "pre";
      const inside = plainInside
        ? [{ type: "text", text: text || "x", children: [] }]
        : [{ type: "text", text: text || "x", children: [] }, ...children];
      // Empty markers would merge with the markers beside them.
      const written = `${around[0]}${write(mode, inside, [...within, type]) || "x"}${around[1]}`;
      return mode === "MarkdownV2" ? `${written}**` : written;
    })
    .join("");
}

/** A backslash at its end would escape the marker behind it; `compose` puts a separator there. */
function legacyText(text: string, isMarked: boolean): string {
  return isMarked ? text.replace(/[_*`[\]\\]/g, "") : markups.Markdown.escape(text.replace(/\\+$/, ""));
}

describe.each(modes)("splitting %s", (mode) => {
  const { [mode]: markup } = markups;
  const { [mode]: parse } = parsers;

  test("loses only white space, and every part is valid, small enough and formatted as before", () => {
    let cut = 0;
    fc.assert(
      fc.property(tree, fc.integer({ min: 20, max: 60 }), (nodes, limit) => {
        const source = write(mode, nodes);
        let whole: ReturnType<typeof parse>;
        try {
          whole = parse(source);
        } catch {
          return fc.pre(false);
        }
        const parts = splitText(markup, source, { visible: limit, source: 100_000 }).map((part) => parse(part));
        if (parts.length > 1) cut++;
        for (const { text } of parts) if (parts.length > 1) expect(text.length).toBeLessThanOrEqual(limit);
        expect(parts.map(({ text }) => bare(text)).join("")).toBe(bare(whole.text));
        expect(parts.flatMap(marksOf)).toEqual(marksOf(whole));
      }),
      { numRuns: examples(1500, 200) },
    );
    expect(cut).toBeGreaterThan(examples(200, 5));
  });

  test("never cuts what a person sees as one character", () => {
    const family = "👨‍👩‍👧";
    for (const part of splitText(markup, family.repeat(100), { visible: 61, source: 10_000 })) {
      expect(part.replaceAll(family, "")).toBe("");
    }
  });

  test("100 kB are parts of at most 4096, at ends of lines or words, in bounded time", () => {
    const source = `${"lorem ipsum dolor sit amet\n".repeat(20)}${"word ".repeat(20)}`.repeat(160);
    const parts = splitText(markup, source, { visible: 4096, source: 10_000 });
    expect(parts.length).toBeLessThanOrEqual(Math.ceil(source.length / 4096) + 1);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(4096);
      expect(part).toMatch(/^(lorem|word).*(amet|word ?)$/s);
    }
  });

  test("much markup and little text stays below the size with markup, and uses it", () => {
    if (mode === "none") return;
    const [before, after] = WRITE[mode].b ?? ["", ""];
    const parts = splitText(markup, `${before}ab${after} `.repeat(5000), { visible: 4096, source: 1000 });
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(1000);
    expect(parts.slice(0, -1).every((part) => part.length > 900)).toBe(true);
  });

  test("malformed markup is split as well, in bounded time", () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 9 }), (text, times) => {
        const source = text.repeat(times);
        const parts = splitText(markup, source, { visible: 15, source: 100 });
        expect(parts.length).toBeGreaterThan(0);
      }),
    );
    for (const nasty of ["[a](", "<b>", "`", "```", "*", "_", "&", "<", "](", "<b> ", "_ * ", ">\n"])
      splitText(markup, nasty.repeat(100_000 / nasty.length), { visible: 4096, source: 10_000 });
  });
});

function bare(text: string): string {
  return text.replace(/\s+/g, "");
}

/** Each visible character with what it is marked as. */
function marksOf({
  text,
  entities,
}: {
  text: string;
  entities: { type: string; from: number; to: number }[];
}): string[] {
  return [...text].flatMap((character, index, all) => {
    if (/\s/.test(character)) return [];
    const at = all.slice(0, index).join("").length;
    const marks = entities.filter(({ from, to }) => from <= at && at < to).map(({ type }) => type);
    return [`${character} ${marks.sort().join(" ")}`];
  });
}

describe("shortening", () => {
  test("keeps whole characters and ends with an ellipsis", () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 2, max: 20 }), (text, limit) => {
        const short = shorten(text, limit);
        expect([...short].length).toBeLessThanOrEqual(limit);
        if ([...text].length <= limit) expect(short).toBe(text);
        else {
          expect(short).toEndWith("…");
          expect(text).toStartWith(short.slice(0, -1));
          expect(short.isWellFormed()).toBe(true);
        }
      }),
    );
    expect(shorten("👨‍👩‍👧👨‍👩‍👧", 7)).toBe("👨‍👩‍👧…");
    expect(shorten("😀".repeat(2000), 1024)).toBe(`${"😀".repeat(1023)}…`);
  });

  test.each(["HTML", "none"] as const)("%s: cuts off the end and leaves the rest unchanged", (mode) => {
    const { [mode]: parse } = parsers;
    let cut = 0;
    fc.assert(
      fc.property(tree, fc.integer({ min: 30, max: 60 }), (nodes, limit) => {
        const source = write(mode, nodes);
        let whole: ReturnType<typeof parse>;
        try {
          whole = parse(source);
        } catch {
          return fc.pre(false);
        }
        const short = shorten(source, limit, markups[mode]);
        expect([...short].length).toBeLessThanOrEqual(limit);
        if (short === source) return;
        cut++;
        const { text } = parse(short);
        expect(text).toEndWith("…");
        expect(whole.text).toStartWith(text.slice(0, -1));
      }),
      { numRuns: examples(1500, 400) },
    );
    expect(cut).toBeGreaterThan(examples(50, 3));
  });

  test("cuts HTML anywhere between characters, in bounded time", () => {
    const short = shorten(`<b>${"word &amp; ".repeat(300)}</b>`, 1024, html);
    expect([...short].length).toBeGreaterThan(1010);
    expect(parsers.HTML(short).text).toEndWith("…");
    for (const nasty of ["<b>", "&", "é", "👨‍👩‍👧", "<", "x\n"])
      expect([...shorten(nasty.repeat(300_000), 1024, html)].length).toBeLessThanOrEqual(1024);
  });
});
