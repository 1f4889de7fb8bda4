// An archive that two programs would read differently is refused, so that what was checked is what is unpacked.
import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { beginEntry, type Container, createContainer } from "../../../../../src/copies/backup/archive/zip/container.ts";
import { readDirectory } from "../../../../../src/copies/backup/archive/zip/directory.ts";
import { checkPlaces } from "../../../../../src/copies/backup/archive/zip/unpack.ts";
import { createWideContainer } from "../../../../../src/copies/backup/archive/zip/wide-container.ts";
import { python } from "../../../../support/archives.ts";
import { createTemporaryFolder } from "../../../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function pack(container: Container, names = ["rules/a.ron", "rules/b.ron"]): Buffer {
  for (const path of names) {
    const entry = beginEntry(container, { path, mode: 0o644, mtime: 0 });
    entry.add(Buffer.from(`(name: "${path}")`.repeat(20)));
    entry.end();
  }
  container.finish();
  return Buffer.concat(container.take());
}

/** The names, or why it is refused. */
function read(bytes: Uint8Array): string[] | string {
  const path = folder.at("archive.zip");
  writeFileSync(path, bytes);
  const file = openSync(path, "r");
  try {
    const directory = readDirectory(file);
    checkPlaces(file, directory);
    return directory.entries.map(({ name }) => name);
  } catch (error) {
    return (error as Error).message;
  } finally {
    closeSync(file);
  }
}

const LOCAL = Buffer.from([0x50, 0x4b, 3, 4]);
const CENTRAL = Buffer.from([0x50, 0x4b, 1, 2]);
const END = Buffer.from([0x50, 0x4b, 5, 6]);

function edited(edit: (bytes: Buffer) => void, container = createContainer()): Buffer {
  const bytes = Buffer.from(pack(container));
  edit(bytes);
  return bytes;
}

test("what both ways of writing make is read", () => {
  for (const container of [createContainer(), createWideContainer()])
    expect(read(pack(container))).toEqual(["rules/a.ron", "rules/b.ron"]);
});

test("what others pack is read: stored, deflated, streamed, with a comment", () => {
  const script = `import zipfile, sys, io
class Pipe(io.RawIOBase):
    def __init__(self, f): self.f = f
    def writable(self): return True
    def write(self, b): return self.f.write(b)
with open(sys.argv[1], "wb") as f:
    z = zipfile.ZipFile(f if sys.argv[2] == "file" else Pipe(f), "w")
    z.writestr("rules/a.ron", "()" * 100, zipfile.ZIP_DEFLATED)
    z.writestr("rules/Küche.ron", "()", zipfile.ZIP_STORED)
    z.comment = b"made by hand"
    z.close()`;
  for (const way of ["file", "stream"]) {
    python(script, folder.at("theirs.zip"), way);
    expect(read(readFileSync(folder.at("theirs.zip")))).toEqual(["rules/a.ron", "rules/Küche.ron"]);
  }
});

test.each<[string, Buffer, string]>([
  ["a local name of its own", edited((bytes) => bytes.write("c", bytes.indexOf(LOCAL) + 30 + 6)), "is not where"],
  [
    "a local name of other bytes that look the same",
    edited((bytes) => bytes.writeUInt8(0xff, bytes.indexOf(LOCAL) + 30 + 6)),
    "is not where",
  ],
  ["another method", edited((bytes) => bytes.writeUInt16LE(0, bytes.indexOf(LOCAL) + 8)), "in two ways"],
  [
    "sizes of its own",
    edited((bytes) => {
      const at = bytes.indexOf(LOCAL);
      // Without the flag that they follow.
      bytes.writeUInt16LE(bytes.readUInt16LE(at + 6) & ~8, at + 6);
      bytes.writeUInt32LE(5, at + 18);
    }),
    "in two ways",
  ],
  ["encryption", edited((bytes) => bytes.writeUInt16LE(0x2000, bytes.indexOf(CENTRAL) + 8)), "is encrypted"],
  ["another part", edited((bytes) => bytes.writeUInt16LE(1, bytes.indexOf(CENTRAL) + 34)), "another volume"],
])("an entry with %s", (_, bytes, why) => {
  expect(read(bytes)).toContain(why);
});

test("a second name beside the name", () => {
  const name = "rules/a.ron";
  const beside = (text: string): Buffer => {
    const extra = Buffer.alloc(9 + text.length);
    extra.writeUInt16LE(0x7075, 0);
    extra.writeUInt16LE(5 + text.length, 2);
    extra.writeUInt8(1, 4);
    extra.writeUInt32LE(Bun.hash.crc32(name), 5);
    extra.write(text, 9);
    const bytes = pack(createContainer(), [name]);
    const central = bytes.indexOf(CENTRAL);
    const following = central + 46 + name.length;
    const whole = Buffer.concat([bytes.subarray(0, following), extra, bytes.subarray(following)]);
    whole.writeUInt16LE(whole.readUInt16LE(central + 30) + extra.length, central + 30);
    const end = whole.indexOf(END);
    whole.writeUInt32LE(whole.readUInt32LE(end + 12) + extra.length, end + 12);
    return whole;
  };
  expect(read(beside("../../x.ron"))).toContain("a second name that differs");
  expect(read(beside(name))).toEqual([name]);
});

test("two directories, of which programs take one or the other", () => {
  const [one, two] = [pack(createContainer()), pack(createContainer(), ["rules/c.ron"])];
  // Whoever counts back from the end finds another one than who goes where it is said to be.
  expect(read(Buffer.concat([Buffer.from("#!/bin/sh\n"), one]))).toContain("not where it ends");
  expect(read(Buffer.concat([one, two]))).toContain("not where it ends");
  const gap = Buffer.concat([one.subarray(0, one.indexOf(END)), Buffer.alloc(10), one.subarray(one.indexOf(END))]);
  expect(read(gap)).toContain("not where it ends");
});

test("an end in the comment of another", () => {
  const one = pack(createContainer());
  const inner = Buffer.from(one.subarray(one.indexOf(END)));
  const outer = Buffer.from(inner);
  outer.writeUInt16LE(inner.length, 20);
  expect(read(Buffer.concat([one.subarray(0, one.indexOf(END)), outer, inner]))).toContain("two end records");
});

test("an end in 64 bits that says another thing", () => {
  const differing = edited((bytes) => bytes.writeUInt16LE(1, bytes.lastIndexOf(END) + 10), createWideContainer());
  expect(read(differing)).toContain("two end records differ");
  const longer = edited(
    (bytes) => bytes.writeUInt32LE(45, bytes.indexOf(Buffer.from([0x50, 0x4b, 6, 6])) + 4),
    createWideContainer(),
  );
  expect(read(longer)).toContain("directory is damaged");
});
