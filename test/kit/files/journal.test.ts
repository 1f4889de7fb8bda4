// A journal is read up to where it is whole, whatever happened to the rest.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { appendFileSync, copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { openJournal } from "../../../src/kit/files/journal.ts";
import { foreignSegments, listSegments, readJournal, segmentPath } from "../../../src/kit/files/journal-reader.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const ID = "house";
const place = (): string => folder.at("journal");
const open = (first = 1, where = place()) =>
  openJournal({
    folder: where,
    id: ID,
    first,
    onFault(error) {
      throw error;
    },
  });
const pathOf = (segment: number): string => segmentPath(place(), ID, segment);
const textsIn = (where = place()): string[] => readJournal(where, ID).flatMap(({ texts }) => texts);
const cuts = (): (number | undefined)[] => readJournal(place(), ID).map(({ cutAt }) => cutAt);

/** As a killed process leaves it. */
function leave(...texts: string[]): void {
  const journal = open();
  for (const text of texts) journal.append(text);
}

// What repeats itself is stored deflated.
const LONG = `[${Array.from({ length: 9 }, (_, index) => `{"device":"sensor_${index}","set":{"temperature":21}}`)}]`;
const TEXTS = ["one", "two ☂", LONG];

test("what was appended is there at once, in order, without any end of the process", () => {
  const journal = open();
  expect(existsSync(place())).toBe(false);
  for (const [index, text] of TEXTS.entries()) {
    journal.append(text);
    expect(textsIn()).toEqual(TEXTS.slice(0, index + 1));
    expect(cuts()).toEqual([undefined]);
  }
});

test.each<[string, (path: string, bytes: Buffer) => void, string[]]>([
  ["torn within the last text", (path, { length }) => truncateSync(path, length - 10), ["one", "two ☂"]],
  ["torn within a header", (path) => truncateSync(path, 8 + 3 + 5), ["one"]],
  ["without its last header", (path, { length }) => truncateSync(path, length - 8), TEXTS],
  [
    "filled with zeros from the second text on",
    (path, bytes) => writeFileSync(path, bytes.fill(0, 8 + 3 + 8)),
    ["one"],
  ],
  ["with other bytes behind its end", (path) => appendFileSync(path, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), TEXTS],
  ["empty", (path) => truncateSync(path, 0), []],
  ["of garbage", (path) => writeFileSync(path, "no journal at all, and longer than a header"), []],
])("a segment %s is read up to there", (_how, damage, left) => {
  leave(...TEXTS);
  damage(pathOf(1), readFileSync(pathOf(1)));
  expect(textsIn()).toEqual(left);
});

test("a flipped bit, wherever it is, costs only what is behind it, and is noticed", () => {
  leave(...TEXTS);
  const whole = readFileSync(pathOf(1));
  for (let bit = 0; bit < (whole.length - 8) * 8; bit++) {
    const bytes = Buffer.from(whole);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(pathOf(1), bytes);
    const [found] = readJournal(place(), ID);
    expect(TEXTS.slice(0, found?.texts.length)).toEqual(found?.texts ?? []);
    expect(found?.texts.length).toBeLessThan(TEXTS.length);
    expect(found?.cutAt).toBeDefined();
  }
});

test("a text that repeats itself takes fewer bytes of the disk, and counts as many as it has", () => {
  const journal = open();
  journal.append(LONG);
  expect(journal.bytes).toBe(Buffer.byteLength(LONG));
  expect(readFileSync(pathOf(1)).length).toBeLessThan(LONG.length / 3);
});

test("texts of all lengths come back as they were", () => {
  const texts = Array.from({ length: 20 }, (_, index) => "ä{}1".repeat((2 ** index) >> 2) + index);
  leave(...texts);
  expect(textsIn()).toEqual(texts);
});

test("segments are read in order; a cut in one leaves the next whole", () => {
  const journal = open(9);
  journal.append("a");
  expect(journal.finish()).toBe(9);
  journal.append("b");
  journal.append("c");
  expect(listSegments(place(), ID).map(({ number }) => number)).toEqual([9, 10]);
  truncateSync(pathOf(9), 5);
  expect(textsIn()).toEqual(["b", "c"]);
  expect(cuts()).toEqual([0, undefined]);
});

test("a segment under another's name is not read: nor is one of another journal", () => {
  leave(...TEXTS);
  copyFileSync(pathOf(1), pathOf(2));
  copyFileSync(pathOf(1), segmentPath(place(), "other", 1));
  expect(textsIn()).toEqual(TEXTS);
  expect(foreignSegments(place(), ID)).toEqual([segmentPath(place(), "other", 1)]);
});

test("a released segment is written over, and nothing of it comes back", () => {
  const journal = open();
  journal.append(randomBytes(300).toString("base64"));
  journal.append("and one behind it");
  journal.finish();
  journal.release(1);
  journal.append("new");
  expect(listSegments(place(), ID).map(({ number }) => number)).toEqual([2]);
  expect(readFileSync(pathOf(2)).length).toBeGreaterThan(300);
  expect(textsIn()).toEqual(["new"]);
  expect(cuts()).toEqual([undefined]);
});

test("once all is released, the end leaves nothing behind", () => {
  const journal = open();
  for (let round = 0; round < 3; round++) {
    journal.append("x");
    journal.finish();
  }
  journal.release(3);
  journal[Symbol.dispose]();
  expect(existsSync(place())).toBe(false);
});

test("on a full disk it says so, and goes on behind the last whole text when there is space", () => {
  using disk = mountSmallDisk(4);
  const where = `${disk.path}/journal`;
  using journal = open(1, where);
  journal.append("before");
  disk.fill();
  const long = "long ".repeat(20_000);
  expect(() => {
    for (let tries = 0; tries < 100; tries++) journal.append(long);
  }).toThrow("ENOSPC");
  const written = textsIn(where);
  expect(written[0]).toBe("before");
  disk.free();
  journal.append("after");
  expect(textsIn(where)).toEqual([...written, "after"]);
});
