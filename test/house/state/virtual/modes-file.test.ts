import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readModes, readModesFile } from "../../../../src/house/state/virtual/modes-file.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const located = { located: true };
const problems = (text: string, where = located): string[] =>
  readModes(text, where).problems.map(({ line, path, message }) => `${line}: ${path}: ${message}`);
const away = { kind: "manual", id: "away", name: "away" } as const;
const solar = (rest: string): string => `[[modes]]\nid = "night"\nkind = "solar"\n${rest}`;

test("a valid file is read", () => {
  const text = `${solar('name = "Night"\non_event = "sunset"\noff_event = "sunrise"\non_offset_minutes = -15')}
[[modes]]
id = "away"
kind = "manual"
`;
  expect(readModes(text, located)).toEqual({
    modes: [
      {
        id: "night",
        name: "Night",
        kind: "solar",
        on: { event: "sunset", offsetMinutes: -15 },
        off: { event: "sunrise", offsetMinutes: 0 },
      },
      { id: "away", name: "away", kind: "manual" },
    ],
    broken: new Set(),
    problems: [],
  });
});

test("an empty file has no modes and no problems", () => {
  expect(readModes("# nothing yet\n", located)).toEqual({ modes: [], broken: new Set(), problems: [] });
});

describe("each problem is reported with its line", () => {
  const events = 'on_event = "sunset"\noff_event = "sunrise"\n';
  const rows: [text: string, says: string][] = [
    ["[[modes]\n", "1: : is not valid TOML"],
    ["[[mode]]\n", '1: mode: unknown key "mode" – did you mean "modes"?'],
    ["modes = 3\n", "1: modes: must be a list of tables: write [[modes]]"],
    ["[modes]\n", "1: modes: must be a list of tables: write [[modes]]"],
    ["modes = [1]\n", "1: modes[0]: must be a table"],
    ['[[modes]]\nkind = "manual"\n', "1: modes[0].id: missing"],
    ['[[modes]]\nid = "a"\n', '1: modes[0].kind: missing: must be "manual" or "solar"'],
    ['[[modes]]\nid = "a"\nkind = "sun"\n', '3: modes[0].kind: must be "manual" or "solar"'],
    ['[[modes]]\nid = "a/b"\nkind = "manual"\n', "2: modes[0].id: must have 1 to 255 characters"],
    ['[[modes]]\nid = "a"\nkind = "manual"\nname = ""\n', "4: modes[0].name: must not be empty"],
    ['[[modes]]\nid = "a"\nkind = "manual"\nnmae = "A"\n', 'unknown key "nmae" – did you mean "name"?'],
    [
      '[[modes]]\nid = "a"\nkind = "manual"\non_event = "sunset"\n',
      "4: modes[0].on_event: has no meaning for a manual",
    ],
    [solar('on_event = "sunset"\n'), "1: modes[0].off_event: missing: must be one of night_end"],
    [solar('on_event = "sunst"\noff_event = "sunrise"\n'), '– did you mean "sunset"?'],
    [solar('on_event = "sunset"\noff_event = "sunset"\n'), "5: modes[0].off_event: the mode would turn on and off"],
    [
      solar(`${events}on_offset_minutes = 721\n`),
      "6: modes[0].on_offset_minutes: must be a whole number from -720 to 720",
    ],
    [solar(`${events}off_offset_minutes = 1.5\n`), "6: modes[0].off_offset_minutes: must be a whole number"],
    [solar(events) + solar(events), '7: modes[1].id: "night" is the id of another mode above'],
  ];
  for (const [text, says] of rows) {
    test(says, () => {
      expect(readModes(text, located).modes?.map(({ id }) => id) ?? []).not.toContain("a");
      expect(problems(text).join("\n")).toContain(says);
      const beside = `${text}[[modes]]\nid = "away"\nkind = "manual"\n`;
      if (text.startsWith("[[modes]]\n")) expect(readModes(beside, located).modes).toContainEqual(away);
    });
  }

  test("all of them at once", () => {
    const text = `${solar('on_event = "sunst"\noff_event = "sunrse"\n')}[[modes]]\nid = "night"\nkind = "manual"\nx = 1\n`;
    expect(problems(text)).toHaveLength(4);
  });
});

test("a problem leaves out the mode it belongs to, and says which", () => {
  const broken = (text: string): unknown => readModes(text, located).broken;
  expect(broken('[[modes]]\nid = "a"\nkind = 3\n[[modes]]\nid = "b"\nkind = "manual"\n')).toEqual(new Set(["a"]));
  // The mode is unknown: it may be any.
  expect(broken('[[modes]]\nidd = "a"\nkind = "manual"\n')).toBe("unknown");
  expect(broken('[[mode]]\nid = "a"\nkind = "manual"\n')).toBe("unknown");
  expect(broken("[[modes\n")).toBe("unknown");
});

describe("the bytes of the file", () => {
  const text = '[[modes]]\nid = "away"\nkind = "manual"\n';

  test("may begin with a byte order mark, and lines keep their numbers", () => {
    expect(readModes(Buffer.from(`\ufeff${text}`), located).modes).toEqual([away]);
    expect(problems(`\ufeff${text}x = 1\n`)).toEqual([expect.stringMatching(/^4: modes\[0\]\.x: unknown key/)]);
  });

  test.each([
    ["UTF-16", Buffer.from(`\ufeff${text}`, "utf16le"), "1: : this file is UTF-16: save it again as UTF-8 (column 1)"],
    ["Latin-1", Buffer.from(`${text}name = "Küche"`, "latin1"), "4: : this file is not UTF-8 from here on"],
    ["NUL", Buffer.from(`${text}\0`), "4: : is not valid TOML"],
    ["two megabytes", Buffer.from(`# ${"x".repeat(2_000_000)}`), "undefined: : is larger than a megabyte"],
  ])("that are not text are reported with the place: %s", (_, bytes, says) => {
    const { modes, problems } = readModes(bytes, located);
    expect(modes).toBeUndefined();
    expect(problems.map(({ line, path, message }) => `${line}: ${path}: ${message}`)[0]).toStartWith(says);
  });

  test("numbers out of range are a problem of their key", () => {
    const digits = "9".repeat(309);
    const wrong = `[[modes]]\nid = "night"\nkind = "solar"\non_event = "sunset"\noff_event = "sunrise"\non_offset_minutes = ${digits}\n`;
    expect(problems(wrong + text)).toEqual([expect.stringMatching(/^6: modes\[0\]\.on_offset_minutes: must be/)]);
    expect(readModes(wrong + text, located).modes).toEqual([away]);
  });
});

test("a solar mode without a location is only a warning", () => {
  const text = solar('on_event = "dusk"\noff_event = "dawn"\n');
  const { modes, problems } = readModes(text, { located: false });
  expect(modes).toHaveLength(1);
  expect(problems).toMatchObject([{ line: 3, warning: true, message: expect.stringContaining("[location]") }]);
});

test("the same event with different offsets is allowed", () => {
  const text = solar('on_event = "sunset"\noff_event = "sunset"\noff_offset_minutes = 120\n');
  expect(readModes(text, located).problems).toEqual([]);
});

test("the file that comes with the hub is valid, also with its examples uncommented", () => {
  const text = readFileSync("config/modes.toml", "utf8");
  expect(readModes(text, located)).toEqual({ modes: [], broken: new Set(), problems: [] });
  const shown = text.replace(/^# ?(?=\[\[|\w+ = )/gm, "");
  const { modes, problems } = readModes(shown, located);
  expect(problems).toEqual([]);
  expect(modes?.map(({ id }) => id)).toEqual(["night", "away"]);
});

test("what is not a file is reported, and not waited for", () => {
  using folder = createTemporaryFolder();
  const pipe = folder.at("pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  for (const path of [pipe, folder.path]) {
    const { modes, broken, problems } = readModesFile(path, located);
    expect({ modes, broken }).toEqual({ modes: undefined, broken: "unknown" });
    expect(problems).toMatchObject([{ file: path, message: "is no file; nothing of the file is used" }]);
  }
});

test("events of the sun are read in homeCore's spelling as well", () => {
  const file = `[[modes]]\nid = "mode_night"\nname = "Night"\nkind = "solar"\non_event = "CivilDusk"\noff_event = "Sunrise"\n`;
  const { modes, problems } = readModes(file, { located: true });
  expect(problems).toEqual([]);
  expect(modes).toMatchObject([{ on: { event: "civil_dusk" }, off: { event: "sunrise" } }]);
});
