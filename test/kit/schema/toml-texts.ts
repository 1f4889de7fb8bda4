// TOML texts in every style people write them in, each with the places of its keys and values.
import fc from "fast-check";

/** One statement of a text; `key` and `value` are as they are written. */
interface Assignment {
  keys: readonly Key[];
  value: Value;
  around: string;
  comment: string;
}

interface Key {
  name: string;
  written: string;
}

/** A scalar, or a list or inline table of further ones. */
type Value =
  | { kind: "scalar"; written: string }
  | { kind: "list"; items: readonly Value[]; between: string }
  | { kind: "table"; members: readonly Assignment[] };

/** Where something is: `value` is the span of its text, absent for tables with a heading. */
export interface Place {
  path: readonly (string | number)[];
  at: number;
  value?: { start: number; end: number };
}

export interface PlacedText {
  text: string;
  places: Place[];
}

const SCALARS = [
  ...[
    '""',
    "''",
    '"a"',
    '"°C 😀 # no comment"',
    '"\\u00e9 \\" \\\\"',
    "'C:\\Users'",
    "'say \"x\"'",
    '"a.b = [1]"',
    '"]"',
  ],
  ...[
    '"""\na "" b"""""',
    "'''\nx'' # y'''",
    '"""one \\\n   line"""',
    '"""\r\nx\r\ny"""',
    "''''quoted''''",
    '"""\\""""',
  ],
  ...["0", "-0", "+5", "1_000", "0xff", "0o7", "0b1", "21.5", "-1e3", "6.5E-2", "inf", "-inf", "nan", "-nan"],
  ...["9007199254740993", "-9223372036854775808", "true", "false"],
  ...["07:32:00", "2024-01-02", "2024-01-02T03:04:05Z", "2024-01-02 03:04:05.5", "1979-05-27T00:32:00-07:00"],
];
const COMMENTS = ["", "", " # what for", "\t#°", " # [no.table] x = 1", ' # "'];
const FREE_LINES = ["", "", "\n", "# a comment\n", "  \t\n", "# 😀 [x]\n\n"];

const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/);
const key: fc.Arbitrary<Key> = fc.oneof(
  { weight: 4, arbitrary: word.map((name) => ({ name, written: name })) },
  word.map((name) => ({ name: `${name} °`, written: `"${name} \\u00b0"` })),
  word.map((name) => ({ name: `${name}.x`, written: `'${name}.x'` })),
  word.map((name) => ({ name, written: `"${name}"` })),
  fc.constant({ name: "", written: '""' }),
);
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: ({ name }) => name });

const { assignment } = fc.letrec<{ value: Value; assignment: Assignment }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...SCALARS).map((written): Value => ({ kind: "scalar", written })),
    fc.record({
      kind: fc.constant("list" as const),
      items: fc.array(tie("value"), { maxLength: 3 }),
      between: fc.constantFrom(",", ", ", ",\n  ", ", # note ]\n", "\n, "),
    }),
    fc.record({ kind: fc.constant("table" as const), members: membersOf(tie("assignment"), 3) }),
  ),
  assignment: fc.record({
    keys,
    value: tie("value"),
    around: fc.constantFrom("", " ", "\t", "  "),
    comment: fc.constantFrom(...COMMENTS),
  }),
}));

/** Each begins with another key, so that none defines a table of another again. */
function membersOf(one: fc.Arbitrary<Assignment>, maxLength: number): fc.Arbitrary<Assignment[]> {
  return fc.uniqueArray(one, { maxLength, selector: (member) => member.keys[0]?.name });
}

interface Section {
  heading: readonly Key[];
  /** How often the heading is there, in double brackets; 0 for a table. */
  entries: number;
  members: readonly Assignment[];
  free: string;
}

const section: fc.Arbitrary<Section> = fc.record({
  heading: keys,
  entries: fc.nat(2),
  members: membersOf(assignment, 4),
  free: fc.constantFrom(...FREE_LINES),
});

class Writer {
  text: string;
  readonly places: Place[] = [];

  constructor(begin: string) {
    this.text = begin;
  }

  section(root: readonly (string | number)[], { heading, entries, members, free }: Section): void {
    for (let entry = 0; entry < Math.max(1, entries); entry++) {
      this.text += free;
      const at = this.text.length;
      const names = [...root, ...heading.map(({ name }) => name)];
      const path = entries === 0 ? names : [...names, entry];
      const [open, close] = entries === 0 ? ["[", "]"] : ["[[", "]]"];
      this.text += `${open}${heading.map(({ written }) => written).join(" . ")}${close}\n`;
      this.places.push({ path, at });
      for (const member of members) this.assignment(path, member, "\n");
    }
  }

  assignment(table: readonly (string | number)[], { keys, value, around, comment }: Assignment, end: string): void {
    let path = table;
    let at = 0;
    for (const [index, { name, written }] of keys.entries()) {
      if (index > 0) this.text += `${around}.${around}`;
      at = this.text.length;
      path = [...path, name];
      this.text += written;
      if (index < keys.length - 1) this.places.push({ path, at });
    }
    this.text += `${around}=${around}`;
    this.value(path, value, at);
    this.text += end === "\n" ? `${comment}\n` : end;
  }

  value(path: readonly (string | number)[], value: Value, at = this.text.length): void {
    const start = this.text.length;
    if (value.kind === "scalar") this.text += value.written;
    else if (value.kind === "list") {
      this.text += "[";
      for (const [index, item] of value.items.entries()) {
        this.value([...path, index], item);
        this.text += value.between;
      }
      this.text += "]";
    } else {
      this.text += "{ ";
      for (const [index, member] of value.members.entries()) {
        if (index > 0) this.text += ", ";
        this.assignment(path, member, " ");
      }
      this.text += "}";
    }
    this.places.push({ path, at, value: { start, end: this.text.length } });
  }
}

/** With a byte order mark or without, and with either end of line. */
export const placedText: fc.Arbitrary<PlacedText> = fc
  .tuple(
    fc.boolean(),
    fc.boolean(),
    membersOf(assignment, 5),
    fc.uniqueArray(section, { maxLength: 4, selector: ({ heading }) => heading[0]?.name }),
  )
  .map(([mark, crlf, members, sections]) => {
    const writer = new Writer(mark ? "\ufeff" : "");
    for (const member of members) writer.assignment([], member, "\n");
    const taken = new Set(members.map((member) => member.keys[0]?.name));
    for (const one of sections) if (!taken.has(one.heading[0]?.name)) writer.section([], one);
    return crlf ? withCrlf(writer) : { text: writer.text, places: writer.places };
  });

function withCrlf({ text, places }: PlacedText): PlacedText {
  // `\r\n` is there in some values as it is.
  const moved = (offset: number): number => offset + (text.slice(0, offset).match(/(?<!\r)\n/g)?.length ?? 0);
  return {
    text: text.replaceAll(/(?<!\r)\n/g, "\r\n"),
    places: places.map(({ path, at, value }) => ({
      path,
      at: moved(at),
      ...(value && { value: { start: moved(value.start), end: moved(value.end) } }),
    })),
  };
}
