// Single values of hub.toml changed in the text: all else of it stays, to the byte.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { type ConfigEdit, editConfig } from "../../src/config/edit.ts";
import { checkConfig } from "../../src/config/load.ts";
import { parseToml } from "../../src/core/toml.ts";
import "../support/property-seed.ts";

const TEMPLATE = readFileSync(resolve(import.meta.dir, "../../config/hub.template.toml"), "utf8").replace(
  "@JWT_SECRET@",
  "x".repeat(48),
);
const PLACE: ConfigEdit[] = [
  { section: "location", key: "latitude", value: 48.137 },
  { section: "location", key: "longitude", value: -11.5 },
  { section: "location", key: "timezone", value: "Europe/Berlin" },
];

function addedLines(before: string, after: string): string[] {
  const old = before.split("\n");
  return after.split("\n").filter((line) => !old.includes(line));
}

describe("a value in hub.toml", () => {
  test("goes below the comment that shows it, in the file of a new home", () => {
    const edited = editConfig(TEMPLATE, PLACE);
    expect(edited).toContain(
      '# latitude = 52.52\nlatitude = 48.137\n# longitude = 13.40\nlongitude = -11.5\n# timezone = "Europe/Berlin" # the machine\'s own when left out\ntimezone = "Europe/Berlin"\n',
    );
    expect(addedLines(TEMPLATE, edited)).toHaveLength(3);
    expect(checkConfig(edited)).toMatchObject({ problems: [], config: { location: { latitude: 48.137 } } });
  });

  test("is replaced in its place, and a second time changes nothing", () => {
    const edits: ConfigEdit[] = [
      { section: "mqtt", key: "host", value: "0.0.0.0" },
      { section: "plugins", index: 1, key: "enabled", value: true },
      { section: "backup", key: "schedule", value: "0 30 3 * * *" },
    ];
    const edited = editConfig(TEMPLATE, edits);
    expect(edited).toContain(
      '[mqtt]\n# The broker that plugins and devices talk to. Beyond this machine it wants accounts.\nhost = "0.0.0.0"\n',
    );
    expect(parseToml(edited)).toMatchObject({
      table: { plugins: [{ enabled: true }, { id: "virtual", enabled: true }] },
    });
    expect(editConfig(edited, edits)).toBe(edited);
  });

  const cases: Record<string, [string, string]> = {
    "in an empty file": ["", "\n[location]\nlatitude = 48.137\n"],
    "without its section": ['[log]\nlevel = "info"', '[log]\nlevel = "info"\n\n[location]\nlatitude = 48.137\n'],
    "in an empty section": ["[location]\n[log]\n", "[location]\nlatitude = 48.137\n[log]\n"],
    "behind the last key": [
      "[location] # here\nlongitude = 1 # east\n",
      "[location] # here\nlongitude = 1 # east\nlatitude = 48.137\n",
    ],
    "in an inline table": ["location = { longitude = 1 }\n", "location = { longitude = 1, latitude = 48.137 }\n"],
    "in an empty inline table": ["location = {}\n", "location = { latitude = 48.137 }\n"],
    "among dotted keys": ["location.longitude = 1\n", "location.longitude = 1\nlocation.latitude = 48.137\n"],
    "with the line ends of another system": [
      "[location]\r\nlongitude = 1\r\n",
      "[location]\r\nlongitude = 1\r\nlatitude = 48.137\r\n",
    ],
    "not below a comment of another section": [
      "[location]\n[log]\n# latitude = 1\n",
      "[location]\nlatitude = 48.137\n[log]\n# latitude = 1\n",
    ],
  };
  for (const [name, [before, after]] of Object.entries(cases))
    test(`is written ${name}`, () => expect(editConfig(before, PLACE.slice(0, 1))).toBe(after));

  test("is not written into a text that cannot be read, or an entry that is not there", () => {
    expect(() => editConfig("[location", PLACE)).toThrow("cannot be read");
    const entry = { section: "plugins", index: 3, key: "enabled", value: true } as const;
    expect(() => editConfig(TEMPLATE, [entry])).toThrow("no such entry");
  });

  test("is what was asked for, whatever text it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (value) => {
        fc.pre(value.isWellFormed());
        const edited = editConfig(TEMPLATE, [{ section: "backup", key: "schedule", value }]);
        expect(parseToml(edited)).toMatchObject({ table: { backup: { schedule: value } } });
      }),
    );
  });
});
