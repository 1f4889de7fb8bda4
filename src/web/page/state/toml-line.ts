// One key of a section in a TOML text, as the forms change it: its line is replaced, and everything else stays to the letter.
// Only plain values on one line; what comes out is checked by the hub and shown as a difference before it is saved.

export type PlainValue = string | number | boolean;

interface Section {
  /** Of its heading's line; -1 where there is none. */
  from: number;
  /** Of the line behind it. */
  to: number;
}

const LINE = /^(\s*)(#\s*)?([\w-]+)(\s*=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[{]+)(.*)$/;

/** What stands there; undefined where the key has its default, or is nothing plain. */
export function plainValueOf(text: string, section: string, key: string): PlainValue | undefined {
  const lines = text.split("\n");
  const found = lines[lineOf(lines, { section, key, commented: false })];
  const written = found === undefined ? undefined : LINE.exec(found)?.[5];
  return written === undefined ? undefined : readValue(written);
}

/** `undefined` makes it a comment, so that its default counts. */
export function withValue(text: string, section: string, key: string, value: PlainValue | undefined): string {
  const lines = text.split("\n");
  const at = lineOf(lines, { section, key, commented: false });
  if (value === undefined) return at < 0 ? text : lines.with(at, `# ${lines[at]}`).join("\n");
  const written = typeof value === "string" ? JSON.stringify(value) : String(value);
  const old = at < 0 ? lineOf(lines, { section, key, commented: true }) : at;
  if (old >= 0) {
    const [, indent = "", , , sign = " = ", , rest = ""] = LINE.exec(lines[old] ?? "") ?? [];
    return lines.with(old, `${indent}${key}${sign}${written}${rest}`).join("\n");
  }
  const { from } = sectionIn(lines, section);
  const line = `${key} = ${written}`;
  return from < 0
    ? `${text.replace(/\n*$/, "\n")}\n[${section}]\n${line}\n`
    : lines.toSpliced(from + 1, 0, line).join("\n");
}

interface Wanted {
  section: string;
  key: string;
  commented: boolean;
}

function lineOf(lines: readonly string[], { section, key, commented }: Wanted): number {
  const { from, to } = sectionIn(lines, section);
  if (from < 0) return -1;
  return lines.findIndex((line, index) => {
    const [, , mark, name] = (index > from && index < to && LINE.exec(line)) || [];
    return name === key && (mark !== undefined) === commented;
  });
}

function sectionIn(lines: readonly string[], section: string): Section {
  const from = lines.findIndex((line) => line.replace(/#.*/, "").trim() === `[${section}]`);
  const length = lines.slice(from + 1).findIndex((line) => /^\s*\[/.test(line));
  return { from, to: length < 0 ? lines.length : from + 1 + length };
}

function readValue(written: string): PlainValue | undefined {
  if (written.startsWith("'")) return written.slice(1, -1);
  try {
    // TOML's plain texts and numbers are JSON's, but for underscores.
    return JSON.parse(written.replace(/(?<=^[\d_]+)_/g, "")) as PlainValue;
  } catch {
    return undefined;
  }
}
