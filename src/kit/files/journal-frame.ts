// One text in a journal's file: its length and checksum, and the text, deflated where that makes it shorter. Each is read without
// the others, so that whatever comes before one that is torn can be read.

/** Before each text: the bytes that follow, and their checksum (32 bits each), which starts with that of the segment's name and of how it is stored. */
export const HEADER_BYTES = 8;

/** In the length: the text is deflated. A hub from before there was this takes it for the end of what can be read. */
const DEFLATED = 0x8000_0000;
/** A shorter text gains next to nothing. */
const LEAST_DEFLATED = 96;
/** A longer one would hold up the event loop; it fills pages of its own. And so much can become a bounded amount only. */
const MAX_DEFLATED = 65_536;

/** With an empty header behind it, which says that it is the last one. */
export function frameOf(text: Buffer<ArrayBuffer>, name: string): Buffer {
  const deflated = text.length >= LEAST_DEFLATED && text.length <= MAX_DEFLATED ? Bun.deflateSync(text) : undefined;
  const isShorter = deflated !== undefined && deflated.length < text.length;
  const stored = isShorter ? deflated : text;
  const frame = Buffer.alloc(HEADER_BYTES + stored.length + HEADER_BYTES);
  frame.set(stored, HEADER_BYTES);
  frame.writeUInt32LE(isShorter ? stored.length + DEFLATED : stored.length, 0);
  frame.writeUInt32LE(checksumOf(stored, name, isShorter), 4);
  return frame;
}

/** `next`: where the next frame begins. */
type Frame = { text: string; next: number } | "last" | "damaged";

/** The one that begins at this byte. */
function frameAt(content: Buffer<ArrayBuffer>, at: number, name: string): Frame {
  const start = at + HEADER_BYTES;
  // A segment is at least so long: the last text is followed by an empty header.
  if (start > content.length) return "damaged";
  const [length, checksum] = [content.readUInt32LE(at), content.readUInt32LE(at + 4)];
  if (length === 0) return checksum === 0 && at > 0 ? "last" : "damaged";
  const isDeflated = length >= DEFLATED;
  const bytes = isDeflated ? length - DEFLATED : length;
  const stored = content.subarray(start, start + bytes);
  if (stored.length < bytes || checksumOf(stored, name, isDeflated) !== checksum) return "damaged";
  const text = isDeflated ? inflated(stored) : stored;
  return text === undefined ? "damaged" : { text: text.toString(), next: start + bytes };
}

export interface WholeFrames {
  texts: { text: string; at: number }[];
  /** Where the first frame begins that is none. */
  end: number;
  /** That is the empty header behind the last text; otherwise it is torn, altered or missing. */
  isEnded: boolean;
}

/** All from the beginning on, up to what ends them. */
export function wholeFrames(content: Buffer<ArrayBuffer>, name: string): WholeFrames {
  const texts: WholeFrames["texts"] = [];
  for (let at = 0; ; ) {
    const frame = frameAt(content, at, name);
    if (typeof frame === "string") return { texts, end: at, isEnded: frame === "last" };
    texts.push({ text: frame.text, at });
    at = frame.next;
  }
}

function checksumOf(stored: Uint8Array, name: string, isDeflated: boolean): number {
  return Bun.hash.crc32(stored, Bun.hash.crc32(isDeflated ? `${name}, deflated` : name));
}

function inflated(stored: Buffer<ArrayBuffer>): Buffer | undefined {
  if (stored.length > MAX_DEFLATED) return undefined;
  try {
    return Buffer.from(Bun.inflateSync(stored));
  } catch {
    return undefined;
  }
}
