// What reading and writing a zip share: signatures and limits, as in PKWARE's APPNOTE.TXT, and which names it may hold.

export const LOCAL = 0x04034b50;
export const DESCRIPTOR = 0x08074b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;
export const END64 = 0x06064b50;
export const LOCATOR64 = 0x07064b50;
export const END64_BYTES = 56;
/** The kind of the extra field for numbers that need more than 32 bits. */
export const ZIP64_FIELD = 1;
/** Instead of a number that is in the Zip64 field. */
export const FULL_16 = 0xffff;
export const FULL_32 = 0xffff_ffff;
export const STORED = 0;
export const DEFLATE = 8;
/** The system that made it, which says what its attributes mean. */
export const UNIX = 3;
export const REGULAR_FILE = 0o100000;
/** More than any home has. */
export const MAX_ENTRIES = 100_000;
/** Epoch ms: the format begins in 1980. */
export const EARLIEST = Date.UTC(1980, 0, 2);

const MAX_NAME = 1024;
const MAX_SEGMENT_BYTES = 255;

/**
 * What is wrong with the path of an entry; undefined where it stays inside the folder it is unpacked to. Backups follow the
 * same rule as restores, so that what is saved can be restored.
 */
export function nameProblem(path: string): string | undefined {
  if (path === "") return "has no name";
  if (path.length > MAX_NAME) return `is longer than ${MAX_NAME} characters`;
  if (path.includes("\\")) return "holds a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is an absolute path";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
  if (/[\x00-\x1f\x7f]/.test(path)) return "holds a control character";
  const segments = path.split("/");
  if (segments.some((segment) => segment === ".." || segment === "." || segment === ""))
    return "leaves its folder, or has an empty part";
  const tooLong = segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES);
  return tooLong ? "has a part that is too long" : undefined;
}

/** What systems and editors leave in folders, and nobody misses. */
export function isClutter(path: string): boolean {
  return /(^|\/)(__MACOSX\/|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/i.test(path) || /\.tmp$/.test(path);
}

/** A name for messages: without characters that would act on a terminal. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
