// One file that holds many: its length and an index as JSON, then the bytes. The hub reads only what a browser asks for.

export type Encoding = "identity" | "br" | "gzip";

export interface PackedFile {
  path: string;
  type: string;
  etag: string;
  /** Its name changes with its content: browsers may keep it for ever. */
  hashed: boolean;
  encodings: Partial<Record<Encoding, Uint8Array>> & { identity: Uint8Array };
}

/** As `PackedFile`, with the place of its bytes: [from, to). */
export type PackedEntry = Omit<PackedFile, "encodings"> & {
  encodings: Partial<Record<Encoding, [number, number]>> & { identity: [number, number] };
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

export interface Pack {
  readonly entries: readonly PackedEntry[];
  bytes(place: readonly [number, number]): Uint8Array;
}

/** Reads the index. `slice`: bytes of the file, [from, to). */
export function openPack(slice: (from: number, to: number) => Uint8Array): Pack {
  const length = new DataView(slice(0, HEAD_BYTES).slice().buffer).getUint32(0);
  const start = HEAD_BYTES + length;
  const entries = JSON.parse(new TextDecoder().decode(slice(HEAD_BYTES, start))) as PackedEntry[];
  return { entries, bytes: ([from, to]) => slice(start + from, start + to) };
}
