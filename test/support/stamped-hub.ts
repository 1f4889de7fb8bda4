// What makes a hub of another version out of one that is compiled for all of them: version and kind are texts of fixed width in the
// executable, which are written over.
import { readFileSync, writeFileSync } from "node:fs";

const WIDTH = 24;
const FILL = "@";
/** In the program, where the texts stand. */
const MARKS = { version: "other-version:", kind: "other-kind:" } as const;

/** An expression of the program whose value is the text; the compiler cannot know it before. */
export function markedText(name: keyof typeof MARKS): string {
  const mark = JSON.stringify(MARKS[name] + FILL.repeat(WIDTH));
  return `Buffer.from(${mark}).toString().slice(${MARKS[name].length}).replace(/${FILL}+$/, "")`;
}

/** Writes the executable `file` from the one that can be any. */
export function stampHub(any: string, file: string, texts: Readonly<Record<keyof typeof MARKS, string>>): void {
  const bytes = readFileSync(any);
  for (const [name, mark] of Object.entries(MARKS) as [keyof typeof MARKS, string][]) {
    const text = texts[name];
    if (text.length > WIDTH) throw new Error(`${text} is longer than ${WIDTH} letters`);
    const blank = Buffer.from(mark + FILL.repeat(WIDTH));
    let at = bytes.indexOf(blank);
    if (at < 0) throw new Error(`${any} cannot become another version`);
    for (; at >= 0; at = bytes.indexOf(blank, at + blank.length)) bytes.write(mark + text.padEnd(WIDTH, FILL), at);
  }
  writeFileSync(file, bytes, { mode: 0o755 });
}
