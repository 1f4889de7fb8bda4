// Where each character of a text is in the literal that a rule file has for it, in RON or TOML.

const OPENING = /^(?:"""(?:\r?\n)?|'''(?:\r?\n)?|r(#*)"|"|')/;
const PLAIN: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", e: "\u001b", "0": "\0" };

/** Undefined where the literal is another one than was expected. */
export function literalOffsets(literal: string, value: string): number[] | undefined {
  const opening = OPENING.exec(literal)?.[0];
  if (opening === undefined) return undefined;
  const isRaw = opening.startsWith("'") || opening.startsWith("r");
  const offsets: number[] = [];
  for (let at = opening.length; offsets.length < value.length; ) {
    const { text, length } = isRaw || literal[at] !== "\\" ? plainAt(literal, at) : escapedAt(literal, at);
    if (length === 0 || !value.startsWith(text, offsets.length)) return undefined;
    for (let part = 0; part < text.length; part++) offsets.push(at + part);
    at += length;
  }
  return offsets;
}

type Piece = { text: string; length: number };

function plainAt(literal: string, at: number): Piece {
  return { text: literal[at] ?? "", length: at < literal.length ? 1 : 0 };
}

function escapedAt(literal: string, at: number): Piece {
  const rest = literal.slice(at, at + 200);
  const hex = /^\\(?:u\{([0-9a-fA-F_]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))/.exec(rest);
  const code = hex && Number.parseInt((hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? "").replaceAll("_", ""), 16);
  if (hex && code !== null && code <= 0x10ffff) return { text: String.fromCodePoint(code), length: hex[0].length };
  // The end of a line that goes on behind its indentation.
  const joined = /^\\[ \t]*\r?\n\s*/.exec(rest);
  if (joined) return { text: "", length: joined[0].length };
  const next = rest[1] ?? "";
  return { text: Object.hasOwn(PLAIN, next) ? (PLAIN[next] ?? "") : next, length: 2 };
}
