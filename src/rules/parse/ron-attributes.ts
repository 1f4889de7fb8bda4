// What may stand before a RON value: `#![enable(…)]`, `#![type = "…"]` and `#![schema = "…"]`, any number of them.
// The extensions change what Rust's types accept; the hub reads both spellings always, so they only have to be known.
import { didYouMean } from "../../core/schema.ts";
import { type Cursor, found, report, skipTrivia, stop, take, takeName } from "./ron-cursor.ts";
import { takeText } from "./ron-text.ts";

const EXTENSIONS = ["unwrap_newtypes", "implicit_some", "unwrap_variant_newtypes", "explicit_struct_names"];

/** Skips the attributes and what stands around them. */
export function takeAttributes(cursor: Cursor): void {
  skipTrivia(cursor);
  while (cursor.text[cursor.at] === "#") {
    const start = cursor.at;
    for (const sign of ["#", "!", "["]) expect(cursor, sign);
    const name = takeName(cursor);
    skipTrivia(cursor);
    if (name === "enable") enable(cursor);
    else if (name === "type" || name === "schema") setting(cursor);
    else stop(cursor, start, "an attribute is `#![enable(…)]`, `#![type = …]` or `#![schema = …]`");
    expect(cursor, "]");
  }
}

function enable(cursor: Cursor): void {
  expect(cursor, "(");
  do {
    if (cursor.text[cursor.at] === ")") break;
    const start = cursor.at;
    const name = takeName(cursor);
    if (name === undefined) stop(cursor, start, `the name of an extension should stand here, not ${found(cursor)}`);
    if (!EXTENSIONS.includes(name)) report(cursor, start, unknownExtension(name));
    skipTrivia(cursor);
  } while (takeComma(cursor));
  expect(cursor, ")");
}

function unknownExtension(name: string): string {
  return `there is no extension \`${name.slice(0, 40)}\`${didYouMean(name.slice(0, 40), EXTENSIONS)}; RON has ${EXTENSIONS.join(", ")}`;
}

function setting(cursor: Cursor): void {
  expect(cursor, "=");
  if (takeText(cursor)?.kind !== "string") stop(cursor, cursor.at, 'a text should stand after the `=`: "…"');
  skipTrivia(cursor);
}

function takeComma(cursor: Cursor): boolean {
  const taken = take(cursor, ",");
  skipTrivia(cursor);
  return taken;
}

function expect(cursor: Cursor, sign: string): void {
  if (!take(cursor, sign)) stop(cursor, cursor.at, `\`${sign}\` should stand here: \`#![enable(implicit_some)]\``);
  skipTrivia(cursor);
}
