// How the two machines name what they have, so that each can see whether the other has the same. They find accidents, not forgeries:
// against those there is the key.

/** Of each page, in `pageHashes`. */
export const PAGE_HASH_BYTES = 8;
const PAGE_SIZE_AT = 16;
const MAX_PAGE = 65_536;

/** 16 hexadecimal digits. */
export function contentHash(content: Uint8Array): string {
  return Bun.hash.xxHash64(content).toString(16).padStart(16, "0");
}

/** Of a file as it is in `SyncRequest.have.list`; `mode` is its permission bits. */
export function fileHash(content: Uint8Array, mode: number): string {
  return `${contentHash(content)}.${mode.toString(8)}`;
}

/** Of all files, by their paths: see `EndHead.files`. */
export function filesId(list: ReadonlyMap<string, string>): string {
  const lines = [...list].map(([path, hash]) => `${path}\0${hash}\n`).sort();
  return contentHash(Buffer.from(lines.join("")));
}

/** Bytes of a page, as the header of a database says. */
export function pageSizeOf(database: Uint8Array): number {
  const size = new DataView(database.buffer, database.byteOffset).getUint16(PAGE_SIZE_AT);
  return size === 1 ? MAX_PAGE : size;
}

/** Of each page of a whole database, in order: eight bytes each. */
export function pageHashes(database: Uint8Array, pageSize: number): Uint8Array {
  const hashes = new BigUint64Array(Math.ceil(database.length / pageSize));
  for (let page = 0; page < hashes.length; page++)
    hashes[page] = Bun.hash.xxHash64(database.subarray(page * pageSize, (page + 1) * pageSize));
  return new Uint8Array(hashes.buffer);
}

/** Of a database, from `pageHashes`: see `EndHead.state`. */
export const stateId = (hashes: Uint8Array): string => contentHash(hashes);
