// What reading and writing a zip both know: signatures, marks and limits, as in PKWARE's APPNOTE.TXT.

export const LOCAL = 0x04034b50;
export const DESCRIPTOR = 0x08074b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;
export const END64 = 0x06064b50;
export const LOCATOR64 = 0x07064b50;
export const END64_BYTES = 56;
/** Of the extra field with what does not fit 32 bits. */
export const ZIP64_PART = 1;
/** In place of a number that stands in the Zip64 part. */
export const FULL_16 = 0xffff;
export const FULL_32 = 0xffff_ffff;
export const DEFLATE = 8;
/** The system that made it, which says what its attributes mean. */
export const UNIX = 3;
export const REGULAR_FILE = 0o100000;
/** More than any home has. */
export const MOST_ENTRIES = 100_000;
/** Epoch ms: the format begins in 1980. */
export const EARLIEST = Date.UTC(1980, 0, 2);
