// The names of a RON struct's fields and the `:` behind them, with the spellings of other formats pointed out.
import { type Cursor, found, looksAt, report, skipTrivia, stop, take, takeMatch, takeName } from "./ron-cursor.ts";

const QUOTED_NAME = /"([^"\\\n]*)"(?=\s*[:=])/y;

/**
 * Takes `name:` and stands at the value. Undefined, and nothing taken, when something else stands here; if a name is
 * expected, that ends the reading.
 */
export function takeFieldName(cursor: Cursor, { expected }: { expected: boolean }): string | undefined {
  const start = cursor.at;
  const quoted = takeMatch(cursor, QUOTED_NAME)?.[1];
  if (quoted !== undefined) report(cursor, start, `a struct's keys stand without quotes: ${quoted.slice(0, 40)}: …`);
  const name = quoted ?? takeName(cursor);
  const end = cursor.at;
  skipTrivia(cursor);
  const isField = name !== undefined && (expected ? !looksAt(cursor, /[,)(\]}]/y) : looksAt(cursor, /:(?!:)|[="]/y));
  if (isField) {
    cursor.at = end;
    skipSeparator(cursor, name);
    return name;
  }
  cursor.at = start;
  if (expected) stop(cursor, start, `\`name: value\` should stand here, not ${shown(cursor, name)}`);
  return undefined;
}

/** From behind the key to the value. */
export function skipSeparator(cursor: Cursor, key: string): void {
  const end = cursor.at;
  skipTrivia(cursor);
  const start = cursor.at;
  const sign = takeMatch(cursor, /[:=][=>]|->|=/y)?.[0];
  if (sign !== undefined) report(cursor, start, `\`${sign}\` stands where \`:\` should: RON writes \`${key}: value\``);
  else if (!take(cursor, ":")) {
    if (!looksAt(cursor, /[\p{XIDS}_"'[({0-9.+-]/uy))
      stop(cursor, start, `\`:\` should stand after \`${key}\`, not ${found(cursor)}`);
    report(cursor, end, `\`:\` is missing after \`${key}\``);
  }
  skipTrivia(cursor);
}

function shown(cursor: Cursor, name: string | undefined): string {
  return name === undefined ? found(cursor) : `\`${name.slice(0, 40)}\` alone`;
}
