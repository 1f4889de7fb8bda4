// Texts that nobody should write, made of texts that people do write: for readers that must survive all of them.
import fc from "fast-check";

const DIGITS = "9".repeat(309);

/** What a value, a key or a sign may become. */
const snippets = [
  ...[
    DIGITS,
    `-${DIGITS}`,
    `0x${"f".repeat(300)}`,
    "nan",
    "-inf",
    "inf",
    "NaN",
    "1e400",
    "-1e-400",
    "9007199254740993",
  ],
  ...["2026-01-01", "2026-02-30", "12:00:00", "2026-01-01T00:00:00Z", "1979-05-27 07:32:00.999999-07:00", "0000-00-00"],
  ...[
    "__proto__ = 1\n",
    "[__proto__]\n",
    "[constructor]\n",
    "[[prototype]]\n",
    "a.__proto__.b = 1\n",
    "constructor = {}\n",
  ],
  ...['"\\ud800"', "\ud83d", "\udc00", "\0", "\r", "\r\n", "\ufeff", "\u2028", "\u0085", "\u007f"],
  ...["[".repeat(500), "{a=".repeat(300), "(".repeat(500), "Some(".repeat(200), "]".repeat(50), "[[a]]\n".repeat(300)],
  ...[
    "=",
    ".",
    ",",
    '"""',
    "'''",
    "'",
    '"',
    "#",
    "//",
    "/*",
    "\\",
    "\\u{",
    "_",
    "true",
    '""',
    "{}",
    "[]",
    "x".repeat(5000),
  ],
];

/** One of the texts after a few changes: parts put in, taken out, doubled or cut off. */
export function mutatedText(texts: readonly string[]): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(),
    gone: fc.oneof(fc.nat(12), fc.nat(400)),
    put: fc.oneof(fc.constantFrom("", ...snippets), fc.string({ unit: "binary", maxLength: 8 })),
    doubled: fc.boolean(),
  });
  return fc.tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 5 })).map(([text, changes]) =>
    changes.reduce((changed, { at, gone, put, doubled }) => {
      const start = at % (changed.length + 1);
      const part = changed.slice(start, start + gone);
      return changed.slice(0, start) + put + (doubled ? part + part : "") + changed.slice(start + gone);
    }, text),
  );
}

/** A value of one line exchanged for another, so that the text still makes sense to its parser. */
export function exchangedValue(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.constantFrom(...snippets, "[]", "{}", "0", '"x"', "false", "[1]", '["x"]'),
    )
    .map(([text, which, value]) => {
      const lines = text.split("\n");
      const assigned = [...lines.keys()].filter((index) => /^\s*#?\s*[\w.]+\s*[=:]/.test(lines[index] ?? ""));
      const line = assigned[which % assigned.length] ?? 0;
      lines[line] = (lines[line] ?? "").replace(
        /^(\s*)#?\s*([\w.]+\s*[=:]\s*).*$/,
        (_, indent, key) => indent + key + value,
      );
      return lines.join("\n");
    });
}

/** The bytes of a text, some of them others, or in another encoding; or bytes of nothing. */
export function mutatedBytes(texts: readonly string[]): fc.Arbitrary<Buffer> {
  const spoiled = fc
    .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }))
    .map(([text, changes]) => {
      const bytes = Buffer.from(text);
      for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      return bytes;
    });
  const encoded = fc
    .tuple(fc.constantFrom(...texts), fc.constantFrom("utf16le", "latin1", "utf8"), fc.boolean())
    .map(([text, encoding, mark]) => Buffer.from((mark ? "\ufeff" : "") + text, encoding as BufferEncoding));
  return fc.oneof(
    spoiled,
    encoded,
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  );
}
