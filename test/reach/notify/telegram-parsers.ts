// How Telegram's server parses the three markups, after td's MessageEntity.cpp and not after our code: the text a person sees, its
// formatting, and the errors.

export interface Read {
  text: string;
  /** Formatted ranges in UTF-16 units, without empty ones. */
  entities: { type: string; from: number; to: number }[];
}

export const parsers = { HTML: parseHtml, Markdown: parseMarkdown, MarkdownV2: parseMarkdownV2, none: parseNone };
export type ParseMode = keyof typeof parsers;

function parseNone(text: string): Read {
  return { text, entities: [] };
}

function refuse(why: string): never {
  throw new Error(`Bad Request: can't parse entities: ${why}`);
}

function parseHtml(source: string): Read {
  const tags = new Set("b strong i em u ins s strike del a code pre tg-spoiler blockquote span".split(" "));
  const open: { tag: string; from: number }[] = [];
  const entities: Read["entities"] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + 300);
    const entity = /^&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|amp|quot));/i.exec(rest);
    if (entity) {
      const [whole, decimal, hex, name = ""] = entity;
      if (decimal ?? hex) text += String.fromCodePoint(Number.parseInt(decimal ?? hex ?? "", decimal ? 10 : 16));
      else text += { lt: "<", gt: ">", amp: "&", quot: '"' }[name.toLowerCase()] ?? "";
      at += whole.length;
    } else if (source[at] === "<") {
      const end = source.indexOf(">", at);
      if (end < 0) refuse(`unclosed tag at ${at}`);
      const inside = source.slice(at + 1, end);
      at = end + 1;
      if (inside.startsWith("/")) {
        const last = open.pop();
        if (!last || (inside.length > 1 && last.tag !== inside.slice(1).trim().toLowerCase()))
          refuse("unmatched end tag");
        else entities.push({ type: last.tag, from: last.from, to: text.length });
      } else {
        const tag = (/^[^\s>]*/.exec(inside)?.[0] ?? "").toLowerCase();
        if (!tags.has(tag)) refuse(`unsupported start tag "${tag}"`);
        open.push({ tag, from: text.length });
      }
    } else text += source[at++];
  }
  if (open.length > 0) refuse("unclosed start tag");
  return { text, entities: filled(entities) };
}

function parseMarkdown(source: string): Read {
  const entities: Read["entities"] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? "";
    if (char === "\\" && "_*`[".includes(source[at + 1] ?? "-")) {
      text += source[at + 1];
      at += 2;
    } else if (!"_*`[".includes(char)) {
      text += char;
      at++;
    } else {
      const from = text.length;
      const pre = source.startsWith("```", at);
      const end = pre ? "```" : char === "[" ? "]" : char;
      at += pre ? 3 : 1;
      if (pre) {
        const language = /^[^\s`]+(?=\s)/.exec(source.slice(at, at + 200))?.[0] ?? "";
        at += language.length;
        if (source[at] === "\r") at++;
        if (source[at] === "\n") at++;
      }
      const stop = source.indexOf(end, at);
      if (stop < 0) refuse(`no end of the entity at ${at}`);
      text += source.slice(at, stop);
      at = stop + end.length;
      if (char === "[" && source[at] === "(") {
        const close = source.indexOf(")", at);
        at = close < 0 ? source.length : close + 1;
      }
      entities.push({
        type: pre ? "pre" : ({ "*": "b", _: "i", "`": "code", "[": "a" }[char] ?? ""),
        from,
        to: text.length,
      });
    }
  }
  return { text, entities: filled(entities) };
}

function parseMarkdownV2(source: string): Read {
  const entities: Read["entities"] = [];
  const open: { end: string; type: string; from: number }[] = [];
  let text = "";
  let at = 0;
  const finish = (): void => {
    const last = open.pop();
    if (last) entities.push({ type: last.type, from: last.from, to: text.length });
  };
  while (at < source.length) {
    const char = source[at] ?? "";
    const next = source.charCodeAt(at + 1);
    const top = open.at(-1);
    const inCode = top?.type === "code" || top?.type === "pre";
    if (char === "\\" && next > 0 && next <= 126) {
      text += source[at + 1];
      at += 2;
    } else if (inCode && !source.startsWith(top.end, at)) {
      if (char === "`") refuse("a ` in code");
      text += char;
      at++;
    } else if (char === "\n" && top?.type === "quote") {
      finish();
      text += char;
      at++;
    } else if (
      top &&
      source.startsWith(top.end, at) &&
      top.end !== "" &&
      !(top.end === "_" && source[at + 1] === "_")
    ) {
      at += top.end.length;
      if (top.type === "a" && source[at] === "(") {
        at++;
        while (at < source.length && source[at] !== ")") at += source[at] === "\\" ? 2 : 1;
        if (source[at] !== ")") refuse("no end of a URL");
        at++;
      }
      finish();
    } else if (char === ">" && (text === "" || text.endsWith("\n"))) {
      open.push({ end: "", type: "quote", from: text.length });
      at++;
    } else if ("_*~`[|!".includes(char)) {
      const markers = {
        "```": "pre",
        "`": "code",
        __: "u",
        _: "i",
        "*": "b",
        "~": "s",
        "||": "spoiler",
        "![": "a",
        "[": "a",
      };
      const found = Object.entries(markers).find(([marker]) => source.startsWith(marker, at));
      if (!found) refuse(`character '${char}' is reserved and must be escaped`);
      const [marker, type] = found ?? ["", ""];
      at += marker.length;
      if (type === "pre") {
        const language = /^[^\s`]+(?=\s)/.exec(source.slice(at, at + 200))?.[0] ?? "";
        at += language.length;
        if (source[at] === "\n") at++;
      }
      open.push({ end: type === "a" ? "]" : marker, type, from: text.length });
    } else if ("]()>#+-=|{}.!".includes(char)) {
      refuse(`character '${char}' is reserved and must be escaped with the preceding '\\'`);
    } else {
      text += char;
      at++;
    }
  }
  while (open.at(-1)?.type === "quote") finish();
  if (open.length > 0) refuse(`no end of the ${open.at(-1)?.type} entity`);
  return { text, entities: filled(entities) };
}

function filled(entities: Read["entities"]): Read["entities"] {
  return entities.filter(({ from, to }) => to > from);
}
