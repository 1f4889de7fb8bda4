// Entries that the hub adds to hub.toml and removes: every other byte stays, and what cannot be edited so is refused.
import { expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createEntryFile, withEntry, withoutEntry } from "../../../src/app/config/plugin-entries.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const ENTRY = { id: "lamp", binary: "plugins/lamp/bin/lamp.js", enabled: true };
const BASE = `# The house.
[server]
port = 8080   # the page

# A simulated house.
[[plugins]]
id = "virtual" # keep
binary = "plugins/virtual/bin/virtual.js"
[plugins.env]
A = "x"

# Where alerts go.
[alerts]
`;

test.each([
  ["as people write it", BASE],
  ["without a last line end", BASE.trimEnd()],
  ["with the line ends of Windows", BASE.replaceAll("\n", "\r\n")],
  ["with a byte order mark", `\ufeff${BASE}`],
  ["without plugins", "[server]\nport = 1\n"],
  ["empty", ""],
  ["ending in a comment", `${BASE}# the end`],
])("added and removed again, a text %s is what it was", (_, text) => {
  const more = withEntry(text, ENTRY);
  expect(more.startsWith(text)).toBe(true);
  expect(more).toContain("[[plugins]]");
  const back = withoutEntry(more, "lamp");
  expect(back.replace(/\r?\n$/, "")).toBe(text.replace(/\r?\n$/, ""));
});

test("an entry in the middle goes with its own tables, and the comments around it stay", () => {
  const text = withoutEntry(BASE, "virtual");
  expect(text).toBe(
    "# The house.\n[server]\nport = 8080   # the page\n\n# A simulated house.\n\n# Where alerts go.\n[alerts]\n",
  );
});

test.each([
  ["a list in one piece", 'plugins = [{ id = "a", binary = "b" }]\n'],
  ["no TOML", "[server\n"],
])("%s is not edited", (_, text) => {
  expect(() => withEntry(text, ENTRY)).toThrow(/hub\.toml/);
});

test("an entry whose table is elsewhere is not removed", () => {
  expect(() => withoutEntry(`${BASE.replace("[plugins.env]\nA", "[log]\n[plugins.env]\nA")}`, "virtual")).toThrow(
    /does not edit/,
  );
});

test("the file keeps its rights, and an entry that would be wrong there is refused", () => {
  using folder = createTemporaryFolder();
  const file = folder.at("hub.toml");
  const text = `${BASE.replace("[alerts]\n", "")}[auth]\njwt_secret = "system-tests-sign-with-this-and-nobody-else-does"\n[[mqtt.users]]\nusername = "desk"\npassword = "password of the desk"\n`;
  writeFileSync(file, text);
  chmodSync(file, 0o600);
  const entries = createEntryFile(file);
  expect(entries.add(ENTRY)).toMatchObject({ id: "lamp", confine: "auto", enabled: true, max_processes: 1000 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const after = readFileSync(file, "utf8");
  expect(() => entries.add({ ...ENTRY, id: "LAMP" })).toThrow(/already the id/);
  expect(() => entries.add({ ...ENTRY, id: "desk" })).toThrow(/choose another name/);
  expect(readFileSync(file, "utf8")).toBe(after);
  entries.remove("lamp");
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(() => entries.remove("lamp")).toThrow(/no entry/);
});
