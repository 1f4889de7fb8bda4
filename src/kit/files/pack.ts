// One file that holds many: its length and an index as JSON, then the bytes. The hub reads only what a browser asks for.

export type Encoding = "identity" | "br" | "gzip";

export interface PackedFile {
  path: string;
  type: string;
  etag: string;
  /** Its name changes with its content: browsers may keep it for ever. */
  hashed: boolean;
  /** As they are, or, of what is asked for rarely, as gzip alone. */
  encodings: Partial<Record<Encoding, Uint8Array>>;
}

/** As `PackedFile`, with the place of its bytes: [from, to). */
export type PackedEntry = Omit<PackedFile, "encodings"> & {
  encodings: Partial<Record<Encoding, [number, number]>>;
};

const HEAD_BYTES = 4;

export function packed(files: readonly PackedFile[]): Uint8Array {
  const blobs: Uint8Array[] = [];
  let at = 0;
  const entries = files.map(({ encodings, ...file }) => {
    const places = Object.entries(encodings).map(([encoding, bytes]): [string, [number, number]] => {
      blobs.push(bytes);
      const place: [number, number] = [at, at + bytes.length];
      at += bytes.length;
      return [encoding, place];
    });
    return { ...file, encodings: Object.fromEntries(places) };
  });
  const index = new TextEncoder().encode(JSON.stringify(entries));
  const head = new Uint8Array(HEAD_BYTES);
  new DataView(head.buffer).setUint32(0, index.length);
  return Buffer.concat([head, index, ...blobs]);
}

/** The entries of a pack, and where the bytes begin that their places count from. */
export function readPackIndex(pack: Uint8Array): { entries: readonly PackedEntry[]; start: number } {
  const start = HEAD_BYTES + new DataView(pack.buffer, pack.byteOffset).getUint32(0);
  return { entries: JSON.parse(new TextDecoder().decode(pack.subarray(HEAD_BYTES, start))) as PackedEntry[], start };
}
