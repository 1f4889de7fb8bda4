// Archives that were tampered with: bytes changed anywhere, and above all where a zip says what it holds.
import { createRandom } from "./random.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;

const NAMES = [
  "../../x",
  "/tmp/x",
  "..\\..\\x",
  "rules/../../x",
  "RULES/A.RON",
  "data/state.redb",
  "a\0b",
  "\u202erules",
  "C:x",
];
const NUMBERS = [0, 1, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff];

type Random = (below: number) => number;
type Mutation = readonly [what: string, mutate: (archive: Buffer, random: Random) => Buffer];

function placesOf(archive: Buffer, signature: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  const places: number[] = [];
  for (let at = archive.indexOf(bytes); at >= 0; at = archive.indexOf(bytes, at + 1)) places.push(at);
  return places;
}

function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[random(list.length)];
}

/** A field of a random record of one kind becomes another number. */
function fieldOf(signature: number, fields: readonly (readonly [at: number, bytes: 2 | 4])[]): Mutation[1] {
  return (archive, random) => {
    const record = pick(random, placesOf(archive, signature));
    const [at, bytes] = pick(random, fields) ?? [0, 2];
    if (record === undefined || record + at + bytes > archive.length) return archive;
    const number = random(3) === 0 ? random(archive.length) : (pick(random, NUMBERS) ?? 0);
    archive.writeUIntLE(number % 2 ** (8 * bytes), record + at, bytes);
    return archive;
  };
}

/** The name in a header becomes another of the same length, or only its first bytes do. */
function nameAt(signature: number, lengthAt: number, nameAt: number): Mutation[1] {
  return (archive, random) => {
    const record = pick(random, placesOf(archive, signature));
    if (record === undefined || record + nameAt > archive.length) return archive;
    const room = archive.readUInt16LE(record + lengthAt);
    const name = Buffer.from(pick(random, NAMES) ?? "").subarray(0, room);
    name.copy(archive, record + nameAt);
    return archive;
  };
}

function between(archive: Buffer, random: Random): [number, number] {
  const from = random(archive.length);
  return [from, Math.min(archive.length, from + 1 + random(2000))];
}

const MUTATIONS: readonly Mutation[] = [
  [
    "bytes flipped",
    (archive, random) => {
      for (let count = 1 + random(4); count > 0; count--) archive[random(archive.length)] = random(256);
      return archive;
    },
  ],
  ["cut off", (archive, random) => archive.subarray(0, random(archive.length))],
  ["the beginning missing", (archive, random) => archive.subarray(random(archive.length))],
  [
    "a part missing",
    (archive, random) => {
      const [from, to] = between(archive, random);
      return Buffer.concat([archive.subarray(0, from), archive.subarray(to)]);
    },
  ],
  [
    "a part twice",
    (archive, random) => {
      const [from, to] = between(archive, random);
      return Buffer.concat([archive.subarray(0, to), archive.subarray(from)]);
    },
  ],
  ["something behind it", (archive, random) => Buffer.concat([archive, Buffer.alloc(1 + random(100), random(256))])],
  ["something before it", (archive, random) => Buffer.concat([Buffer.alloc(1 + random(100), random(256)), archive])],
  ["another archive behind it", (archive) => Buffer.concat([archive, archive])],
  ["a local name", nameAt(LOCAL, 26, 30)],
  ["a name of the directory", nameAt(CENTRAL, 28, 46)],
  [
    "both names",
    (archive, random) => {
      const seed = random(2 ** 31);
      return nameAt(
        CENTRAL,
        28,
        46,
      )(nameAt(LOCAL, 26, 30)(archive, createRandom(seed).below), createRandom(seed).below);
    },
  ],
  [
    "a local header",
    fieldOf(LOCAL, [
      [4, 2],
      [6, 2],
      [8, 2],
      [14, 4],
      [18, 4],
      [22, 4],
      [26, 2],
      [28, 2],
    ]),
  ],
  [
    "a record of the directory",
    fieldOf(CENTRAL, [
      [4, 2],
      [8, 2],
      [10, 2],
      [16, 4],
      [20, 4],
      [24, 4],
      [28, 2],
      [30, 2],
      [32, 2],
      [34, 2],
      [38, 4],
      [42, 4],
    ]),
  ],
  [
    "the end",
    fieldOf(END, [
      [4, 2],
      [6, 2],
      [8, 2],
      [10, 2],
      [12, 4],
      [16, 4],
      [20, 2],
    ]),
  ],
  [
    "the end in 64 bits",
    fieldOf(END64, [
      [4, 4],
      [24, 4],
      [28, 4],
      [32, 4],
      [40, 4],
      [44, 4],
      [48, 4],
      [52, 4],
    ]),
  ],
  [
    "the way to it",
    fieldOf(LOCATOR64, [
      [4, 4],
      [8, 4],
      [12, 4],
      [16, 4],
    ]),
  ],
];

/** A copy of the archive with one thing wrong, or two. */
export function mutatedArchive(archive: Buffer, random: Random): { what: string; bytes: Buffer } {
  let bytes: Buffer = Buffer.from(archive);
  const done: string[] = [];
  for (let count = random(4) === 0 ? 2 : 1; count > 0 && bytes.length > 64; count--) {
    const [what, mutate] = pick(random, MUTATIONS) ?? ["nothing", (same: Buffer) => same];
    bytes = Buffer.from(mutate(bytes, random));
    done.push(what);
  }
  return { what: done.join(", "), bytes };
}
