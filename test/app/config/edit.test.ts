// Single values of hub.toml changed in the text: all else of it stays, to the byte.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { type ConfigEdit, editConfig, editPaths } from "../../../src/app/config/edit.ts";
import { checkConfig } from "../../../src/app/config/load.ts";
import { parseToml } from "../../../src/kit/schema/toml.ts";
import "../../support/property-seed.ts";

const TEMPLATE = readFileSync(resolve(import.meta.dir, "../../../config/hub.template.toml"), "utf8").replace(
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
      table: { plugins: [{ enabled: true }, { id: "virtual", enabled: true }, { enabled: false }] },
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
    // Of all characters hardly any is one that must be escaped.
    const units = (["binary", "binary-ascii"] as const).map((unit) => fc.string({ unit, maxLength: 40 }));
    fc.assert(
      fc.property(fc.oneof(...units), (value) => {
        fc.pre(value.isWellFormed());
        const edited = editConfig(TEMPLATE, [{ section: "backup", key: "schedule", value }]);
        expect(parseToml(edited)).toMatchObject({ table: { backup: { schedule: value } } });
      }),
    );
  });
});

describe("what a form changes", () => {
  const cases: Record<string, [before: string, edit: Parameters<typeof editPaths>[1][number], after: string]> = {
    "a key that goes back to its default": [
      '[server]\nport = 81 # ours\n# why\nhost = "::"\n',
      { path: ["server", "port"] },
      '[server]\n# why\nhost = "::"\n',
    ],
    "a key in braces": [
      "server = { port = 81, host = '::' }\n",
      { path: ["server", "port"] },
      "server = { host = '::' }\n",
    ],
    "a list of texts, with its comments": [
      'x = 1\n[auth]\nwhitelist = [\n  "::1", # me\n  "10.0.0.1",\n]\n',
      { path: ["auth", "whitelist"], value: ["::1", "10.0.0.2"] },
      'x = 1\n[auth]\nwhitelist = [\n  "::1", # me\n  "10.0.0.2",\n]\n',
    ],
    "a first entry": [
      "[log]\n",
      { path: ["notify", "channels", 0], value: { name: "mail", smtp: { port: 25 } } },
      '[log]\n\n[[notify.channels]]\nname = "mail"\nsmtp = { port = 25 }\n',
    ],
    "another entry": [
      "[[plugins]]\nid = 'a'\n[log]\nlevel = 'info'\n",
      { path: ["plugins", 1], value: { id: "b" } },
      "[[plugins]]\nid = 'a'\n[log]\nlevel = 'info'\n\n[[plugins]]\nid = \"b\"\n",
    ],
    "an entry of a list in brackets": [
      "plugins = [{ id = 'a' }]\n",
      { path: ["plugins", 1], value: { id: "b" } },
      "plugins = [{ id = 'a' }, { id = \"b\" }]\n",
    ],
    "a key of an entry's table": [
      "[[notify.channels]]\nname = 'mail'\n[notify.channels.smtp]\nport = 25 # plain\n",
      { path: ["notify", "channels", 0, "smtp"], value: { port: 587, host: "mail" } },
      "[[notify.channels]]\nname = 'mail'\n[notify.channels.smtp]\nport = 587 # plain\nhost = \"mail\"\n",
    ],
    "an entry inside the last entry": [
      "[[notify.channels]]\nname = 'hook'\n[[notify.channels.headers]]\nname = 'A'\n",
      { path: ["notify", "channels", 0, "headers", 1], value: { name: "B" } },
      "[[notify.channels]]\nname = 'hook'\n[[notify.channels.headers]]\nname = 'A'\n\n[[notify.channels.headers]]\nname = \"B\"\n",
    ],
    "an entry inside one that others follow": [
      "[[notify.channels]]\nname = 'hook'\n[[notify.channels.headers]]\nname = 'A' # a\n\n[[notify.channels]]\nname = 'b'\n",
      { path: ["notify", "channels", 0, "headers", 1], value: { name: "B" } },
      "[[notify.channels]]\nname = 'hook'\n[[notify.channels.headers]]\nname = 'A' # a\n\n[[notify.channels.headers]]\nname = \"B\"\n\n[[notify.channels]]\nname = 'b'\n",
    ],
    "an entry that goes": [
      "# All\n[[plugins]]\nid = 'a'\n\n# The second\n[[plugins]]\nid = 'b'\n[plugins.env]\nA = '1'\n\n[log]\n",
      { path: ["plugins", 1] },
      "# All\n[[plugins]]\nid = 'a'\n\n# The second\n\n[log]\n",
    ],
    "the last entry": ["[[plugins]]\nid = 'a'\n\n[log]\n", { path: ["plugins", 0] }, "\n[log]\n"],
    "the last entry in brackets": ["plugins = [{ id = 'a' }]\n[log]\n", { path: ["plugins", 0] }, "[log]\n"],
  };
  for (const [name, [before, edit, after]] of Object.entries(cases))
    test(`is ${name}`, () => expect(editPaths(before, [edit])).toBe(after));

  test("is refused where the text says something else", () => {
    expect(() => editPaths("server = 1\n", [{ path: ["server", "port"], value: 1 }])).toThrow("something else");
    expect(() => editPaths("[[plugins]]\n", [{ path: ["plugins", 2], value: {} }])).toThrow("no such entry");
    expect(() => editPaths("a = 1\na = 2\n", [{ path: ["a"], value: 1 }])).toThrow("cannot be read");
  });
});
