// The two ways of writing a zip, read back by Python's zipfile and by the hub's own reader; and 64-bit numbers that lie.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { beginEntry, type Container, createContainer } from "../../../../../src/copies/backup/archive/zip/container.ts";
import { readDirectory } from "../../../../../src/copies/backup/archive/zip/directory.ts";
import { checkPlaces, readEntry } from "../../../../../src/copies/backup/archive/zip/unpack.ts";
import { createWideContainer } from "../../../../../src/copies/backup/archive/zip/wide-container.ts";
import { python, readZip } from "../../../../support/archives.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../../support/temporary-folder.ts";

const MTIME = Date.UTC(2026, 10, 21, 3, 0, 0);
const KIBIBYTE = 1024;
const GIBIBYTE = 1024 ** 3;
const FILES: Record<string, string> = {
  "data/a.db": "of some length ".repeat(500),
  "rules/Küche.ron": "()",
  empty: "",
};

let folder: TemporaryFolder;
beforeAll(() => {
  folder = createTemporaryFolder();
});
afterAll(() => folder[Symbol.dispose]());

function pack(container: Container): Buffer {
  for (const [path, text] of Object.entries(FILES)) {
    const entry = beginEntry(container, { path, mode: 0o640, mtime: MTIME });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += KIBIBYTE) entry.add(bytes.subarray(at, at + KIBIBYTE));
    entry.end();
  }
  container.finish();
  return Buffer.concat(container.take());
}

function put(name: string, bytes: Uint8Array): string {
  writeFileSync(folder.at(name), bytes);
  return folder.at(name);
}

/** As the hub reads it, before it unpacks anything. */
async function read(path: string): Promise<Record<string, string>> {
  const file = openSync(path, "r");
  try {
    const directory = readDirectory(file);
    checkPlaces(file, directory);
    const found: Record<string, string> = {};
    for (const entry of directory.entries) found[entry.name] = (await readEntry(file, entry, 1e6)).toString();
    return found;
  } finally {
    closeSync(file);
  }
}

test.each([
  ["fflate's", createContainer, 20],
  ["Zip64", createWideContainer, 45],
] as const)("%s: whole, with times and permissions", async (_name, create, version) => {
  const zip = put("whole.zip", pack(create()));
  expect(await read(zip)).toEqual(FILES);
  const latin = Object.entries(FILES).map(([name, text]) => [name, Buffer.from(text).toString("latin1")]);
  expect(readZip(zip)).toEqual(Object.fromEntries(latin));
  const listed = python(
    `import zipfile, sys
for i in zipfile.ZipFile(sys.argv[1]).infolist(): print(i.extract_version, oct(i.external_attr >> 16), i.date_time[:3])`,
    zip,
  );
  expect(new Set(listed.trim().split("\n"))).toEqual(new Set([`${version} 0o100640 (2026, 11, 21)`]));
});

/** Three entries of 5 GiB each, of which the file holds the headers alone: what lies between is a hole. */
function writeSparse(path: string, container: Container): void {
  const file = openSync(path, "w");
  const hole = new Uint8Array(GIBIBYTE);
  let at = 0;
  const flush = (): void => {
    for (const piece of container.take()) {
      if (piece !== hole) writeSync(file, piece, 0, piece.length, at);
      at += piece.length;
    }
  };
  for (const path of ["data/state.redb", "data/history.db", "manifest.json"]) {
    container.begin({ path, mode: 0o600, mtime: MTIME });
    for (let gibibyte = 0; gibibyte < 5; gibibyte++) container.push(hole);
    container.end({ crc: 7, bytes: 6 * GIBIBYTE });
  }
  container.finish();
  flush();
  ftruncateSync(file, at);
  closeSync(file);
}

test("sizes and places beyond 4 GiB are what they are", () => {
  const path = folder.at("sparse.zip");
  writeSparse(path, createWideContainer());
  const file = openSync(path, "r");
  const directory = readDirectory(file);
  checkPlaces(file, directory);
  closeSync(file);
  const listed = python(
    `import zipfile, sys, json
print(json.dumps([[i.filename, i.compress_size, i.file_size, i.header_offset, i.CRC] for i in zipfile.ZipFile(sys.argv[1]).infolist()]))`,
    path,
  );
  const ours = directory.entries.map((entry) => [
    entry.name,
    entry.compressedBytes,
    entry.bytes,
    entry.offset,
    entry.crc,
  ]);
  expect(ours).toEqual(JSON.parse(listed));
  expect(ours.map(([, compressed, bytes]) => [compressed, bytes])).toEqual(
    new Array(3).fill([5 * GIBIBYTE, 6 * GIBIBYTE]),
  );
  expect(directory.offset).toBeGreaterThan(15 * GIBIBYTE);
});

test("without Zip64 nothing is written with a size it cannot say", () => {
  expect(() => writeSparse(folder.at("never.zip"), createContainer())).toThrow("a file grew while it was read");
});

test("a bit flipped in the 64-bit records is refused, or was in what nobody reads", async () => {
  const good = pack(createWideContainer());
  const directoryAt = good.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const taken: number[] = [];
  for (let bit = directoryAt * 8; bit < good.length * 8; bit++) {
    const flipped = Buffer.from(good);
    const at = bit >>> 3;
    flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (bit & 7)), at);
    const found = await read(put("flipped.zip", flipped)).catch((error: { code?: string }) => error.code);
    if (found === "invalid") continue;
    taken.push(at);
    expect(Object.values(found as Record<string, string>)).toEqual(Object.values(FILES));
  }
  // Versions, times, attributes, disks, and the numbers of the old end that only point to the new one.
  expect(new Set(taken).size).toBeLessThan((good.length - directoryAt) / 2);
});

test("numbers that lie in 64 bits", async () => {
  const good = pack(createWideContainer());
  const lie = (what: string, offsets: number[], value: bigint): string => {
    const bytes = Buffer.from(good);
    for (const offset of offsets) bytes.writeBigUInt64LE(value, offset);
    return put(`${what}.zip`, bytes);
  };
  const part = good.indexOf(Buffer.from([1, 0, 24, 0])) + 4;
  const end = good.indexOf(Buffer.from([0x50, 0x4b, 6, 6]));
  const locator = good.indexOf(Buffer.from([0x50, 0x4b, 6, 7]));
  const lies: [string, number[], bigint, string][] = [
    ["a size no disk has", [part], 2n ** 63n, "claims a size that no disk can have"],
    ["more than deflate can do", [part], 2n ** 40n, "claims to hold more than it can"],
    ["data beyond the end", [part + 8], 2n ** 40n, "reaches beyond its end"],
    ["a place beyond the end", [part + 16], 2n ** 40n, "truncated"],
    ["files that another part would hold", [end + 32], 4n, "one volume of several"],
    ["more files than any home has", [end + 24, end + 32], 2n ** 33n, "more than any home has"],
    ["a directory beyond the end", [end + 48], 2n ** 40n, "truncated or damaged"],
    ["an end beyond the end", [locator + 8], 2n ** 40n, "its directory is damaged"],
  ];
  for (const [what, offsets, value, why] of lies)
    expect(await read(lie(what, offsets, value)).catch((error: Error) => error.message)).toContain(why);
});
