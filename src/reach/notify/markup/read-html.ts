// Reads HTML as people write it, with tags left open or crossed and any of HTML's entities, into a text with formatting. Line breaks
// in it are line breaks, as in Telegram's HTML. htmlparser2 finds the tags; loaded when it is first needed, by markup/read.ts.
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import type { HiddenValues } from "./hidden-values.ts";
import { HIDDEN_TAGS, isTag, LINE_TAGS } from "./html-tags.ts";
import { createRichText, type Mark, type RichText, type RichTextBuilder } from "./rich-text.ts";

const MARK_TAGS: Readonly<Record<string, Mark>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  cite: "italic",
  u: "underline",
  ins: "underline",
  s: "strike",
  strike: "strike",
  del: "strike",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code",
  "tg-spoiler": "spoiler",
};
const HEADINGS = /^h[1-6]$/;
const RULE = "———";
const BULLET = "• ";

export function readHtml({ source, reveal, revealInHref }: HiddenValues): RichText {
  const made = createRichText();
  const elements = createElements(made, { reveal, revealInHref });
  let seen = 0;
  let tag = { name: "", from: 0 };
  let attributes: Record<string, string> = {};
  let attribute = "";
  const text = (from: number, to: number): void => elements.text(reveal(source.slice(from, to)));
  const openTag = (end: number): void => {
    seen = end + 1;
    if (!isTag(tag.name)) text(tag.from, seen);
    else elements.open(tag.name, attributes);
  };
  const unseen = (_: number, to: number): void => {
    seen = to;
  };
  const add = (more: string): void => {
    attributes[attribute] = (attributes[attribute] ?? "") + more;
  };
  const callbacks: TokenizerCallbacks = {
    ontext(from, to) {
      seen = to;
      text(from, to);
    },
    ontextentity(code, end) {
      seen = end;
      elements.text(String.fromCodePoint(code));
    },
    onopentagname(from, to) {
      tag = { name: source.slice(from, to).toLowerCase(), from: from - 1 };
      attributes = {};
    },
    onopentagend: openTag,
    onselfclosingtag: openTag,
    onclosetag(from, to) {
      const end = source.indexOf(">", to);
      seen = end < 0 ? source.length : end + 1;
      const name = source.slice(from, to).toLowerCase();
      if (isTag(name)) elements.close(name);
      else text(from - 2, seen);
    },
    onattribname(from, to) {
      attribute = source.slice(from, to).toLowerCase();
      add("");
    },
    onattribdata: (from, to) => add(source.slice(from, to)),
    onattribentity: (code) => add(String.fromCodePoint(code)),
    onattribend() {},
    oncdata() {},
    oncomment: unseen,
    ondeclaration: unseen,
    onprocessinginstruction: unseen,
    onend() {
      // What looks like a tag and never ends is text: "colder than <limit".
      if (/^<[a-z]/i.test(source.slice(seen, seen + 2))) text(seen, source.length);
    },
  };
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, callbacks);
  tokenizer.write(source);
  tokenizer.end();
  return made.build();
}

function createElements(made: RichTextBuilder, { reveal, revealInHref }: Omit<HiddenValues, "source">) {
  let hidden = 0;
  let lineEnded = false;
  const spans: boolean[] = [];

  function text(given: string): void {
    if (hidden > 0 || given === "") return;
    // The line break of the source behind `<br>` or `</p>` is not another one.
    made.text(lineEnded && given.startsWith("\n") ? given.slice(1) : given);
    lineEnded = false;
  }

  function endLine(blank = false): void {
    made.endLine(blank);
    lineEnded = true;
  }

  return {
    text,
    open(name: string, attributes: Readonly<Record<string, string>>) {
      const mark = MARK_TAGS[name];
      if (HIDDEN_TAGS.has(name)) hidden++;
      if (hidden > 0) return;
      if (mark) made.begin(mark);
      else if (HEADINGS.test(name)) {
        endLine(true);
        made.begin("bold");
      } else if (LINE_TAGS.has(name)) endLine();
      else openOther(name, attributes);
    },
    close(name: string) {
      const mark = MARK_TAGS[name];
      if (hidden > 0) {
        if (HIDDEN_TAGS.has(name)) hidden--;
        return;
      }
      if (mark) made.end(mark);
      else if (HEADINGS.test(name)) {
        made.end("bold");
        endLine();
      } else if (LINE_TAGS.has(name) || name === "li") endLine();
      else if (name === "p") endLine(true);
      else if (name === "a") made.endLink();
      else if (name === "pre") made.endBlock("pre");
      else if (name === "blockquote") made.endBlock("quote");
      else if (name === "span" && spans.pop()) made.end("spoiler");
    },
  };

  function openOther(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "br") {
      made.text("\n");
      lineEnded = true;
    } else if (name === "p") endLine(true);
    else if (name === "li") {
      endLine();
      text(BULLET);
    } else if (name === "hr") {
      endLine();
      text(RULE);
      endLine();
    } else if (name === "a") made.beginLink(revealInHref(attributes.href ?? ""));
    else if (name === "pre") made.beginBlock("pre", attributes.lang);
    else if (name === "blockquote") made.beginBlock("quote");
    else if (name === "img") text(reveal(attributes.alt ?? ""));
    else if (name === "span") {
      const spoiler = attributes.class === "tg-spoiler" || Object.hasOwn(attributes, "data-mx-spoiler");
      if (spoiler) made.begin("spoiler");
      spans.push(spoiler);
    }
  }
}
