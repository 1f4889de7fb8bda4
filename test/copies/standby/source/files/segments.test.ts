// A standby's copy of a journal: what was written is in it, whatever file it was written into.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentHash } from "../../../../../src/copies/standby/hashes.ts";
import {
  openSegments,
  type SegmentAnswer,
  type Segments,
} from "../../../../../src/copies/standby/source/files/segments.ts";
import { type Journal, openJournal } from "../../../../../src/kit/files/journal.ts";
import { readJournal, segmentPath } from "../../../../../src/kit/files/journal-reader.ts";
import { systemClock } from "../../../../../src/kit/time/clock.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../../support/temporary-folder.ts";

const ID = "house";
let folder: TemporaryFolder;
let journal: Journal;
let segments: Segments;
const copy = new Map<string, Uint8Array>();

beforeEach(() => {
  folder = createTemporaryFolder();
  copy.clear();
  const onFault = (error: unknown): never => {
    throw error;
  };
  journal = openJournal({ folder: folder.at("readings"), id: ID, first: 1, onFault });
  segments = openSegments(folder.at("readings"), systemClock);
});
afterEach(() => {
  journal[Symbol.dispose]();
  folder[Symbol.dispose]();
});

function sync(): SegmentAnswer {
  const have = [...copy].map(([path, bytes]) => [path, { bytes: bytes.length, hash: contentHash(bytes) }] as const);
  const answer = segments.read(Object.fromEntries(have));
  const named = new Set<string>();
  for (const { head, content = new Uint8Array(0) } of answer.records) {
    if (head.kind === "keep") for (const path of head.paths) named.add(path);
    else {
      named.add(head.path);
      const before = copy.get(head.path)?.subarray(0, head.from) ?? new Uint8Array(0);
      expect(before.length).toBe(head.from);
      copy.set(head.path, Buffer.concat([before, content]));
    }
  }
  for (const path of copy.keys()) if (!named.has(path)) copy.delete(path);
  return answer;
}

/** What a hub would read of the copy; its segments end as they should. */
function textsInCopy(): string[] {
  const to = folder.at("copy");
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const [path, content] of copy) writeFileSync(join(to, path.slice("data/readings/".length)), content);
  return readJournal(to, ID).flatMap(({ texts, cutAt }) => (cutAt === undefined ? texts : ["cut"]));
}

const sentBytes = ({ records }: SegmentAnswer): number =>
  records.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);

test("only what was appended is sent, in every step", () => {
  journal.append("a".repeat(5000));
  sync();
  journal.append("b");
  expect(sentBytes(sync())).toBeLessThan(50);
  expect(textsInCopy()).toEqual(["a".repeat(5000), "b"]);
  expect(sentBytes(sync())).toBe(0);
});

test("a segment in a file that was used before is sent without what is left of the earlier one", () => {
  journal.append("old".repeat(10_000));
  sync();
  journal.release(journal.finish());
  journal.append("new");
  const answer = sync();
  expect(answer.someGone).toBe(true);
  expect(sentBytes(answer)).toBeLessThan(50);
  expect(textsInCopy()).toEqual(["new"]);
});

test("several segments, and a standby that has another content under the same name", () => {
  journal.append("one");
  journal.finish();
  journal.append("two");
  sync();
  expect(textsInCopy()).toEqual(["one", "two"]);
  for (const [path, content] of copy)
    copy.set(
      path,
      content.map((byte) => byte ^ 1),
    );
  sync();
  expect(textsInCopy()).toEqual(["one", "two"]);
});

test("a text that is not wholly written yet is not sent, and a damaged one ends the segment", () => {
  journal.append("whole");
  // Of digits that deflating does not shorten much.
  const long = Array.from({ length: 100 }, (_, i) => `${(i * 7919 * 7919) % 99_991}`).join("");
  journal.append(long);
  const path = segmentPath(folder.at("readings"), ID, 1);
  const content = readFileSync(path);
  truncateSync(path, content.length - 50);
  sync();
  expect(textsInCopy()).toEqual(["whole"]);
  writeFileSync(path, content);
  sync();
  expect(textsInCopy()).toEqual(["whole", long]);
});

test("an unreadable folder is an error, and one that is missing is an empty journal", () => {
  expect(sync().records).toEqual([]);
  writeFileSync(folder.at("file"), "");
  expect(() => openSegments(folder.at("file"), systemClock).read({})).toThrow("cannot read");
});
