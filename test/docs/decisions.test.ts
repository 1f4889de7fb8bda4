// docs/decisions/: a page each, of one shape, and each in the index under its room.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./printed-commands.ts";

const FOLDER = join(ROOT, "docs/decisions");
const MAX_LINES = 60;
const SHAPE =
  /^# [^\n]+\n\n_\d{4}-\d\d-\d\d · ([^\n]+)_\n\n(_(?:Replaced|Changed in part) by\s[^#]+_\n\n)?## Context\n/;

const read = (name: string): string => readFileSync(join(FOLDER, name), "utf8");
const names = readdirSync(FOLDER).filter((name) => name !== "README.md");
const titleOf = (text: string): string => text.slice(2, text.indexOf("\n"));

test.each(names)("%s", (name) => {
  const text = read(name);
  expect(text).toMatch(SHAPE);
  expect(text.split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  const all = ["Context", "Decision", "Consequence", "Figure"];
  expect(headings).toEqual(all.filter((heading) => headings.includes(heading)));
  expect(headings.includes("Decision") || text.includes("_Replaced by ")).toBe(true);
});

test("each stands once in the index, by its number and its title, in its room", () => {
  const rooms = read("README.md").split(/^## /m).slice(1);
  const listed = rooms.flatMap((room) => {
    const name = room.slice(0, room.indexOf("\n"));
    const lines = [...room.matchAll(/^- \[(\d{4})\]\((\1-[\w-]+\.md)\) (.*?)(?: _\(replaced\)_)?$/gm)];
    return lines.map(([, , file = "", title = ""]) => `${name}: ${file}: ${title}`);
  });
  const there = names.map((name) => {
    const text = read(name);
    return `${SHAPE.exec(text)?.[1]}: ${name}: ${titleOf(text)}`;
  });
  expect(listed.sort()).toEqual(there.sort());
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
});
