// What a picture is, by its first bytes: what a camera, an announcement or a file's name says is not believed.

/** What Pushover takes; Telegram takes more. */
export const MAX_PICTURE_BYTES = 5 * 1_048_576;

export const EXTENSIONS = ["jpg", "png", "gif", "webp"] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** Undefined for what is no picture, or of a kind that services do not take. */
export function extensionOf(bytes: Uint8Array): Extension | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\xff\xd8\xff")) return "jpg";
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(head)) return "gif";
  return /^RIFF....WEBP/s.test(head) ? "webp" : undefined;
}

export function mediaTypeOf(extension: Extension): string {
  return `image/${extension === "jpg" ? "jpeg" : extension}`;
}

export interface ReadPicture {
  /** Of its own: nothing larger is held by it. */
  bytes: Uint8Array;
  extension: Extension;
}

// Base64 takes four bytes for three.
const MAX_PAYLOAD_BYTES = Math.ceil(MAX_PICTURE_BYTES * 1.4);
const MEGABYTES = MAX_PICTURE_BYTES / 1_048_576;

/** The picture that a message is, as it is or in base64; or what is wrong with it. */
export function readPicture(payload: Uint8Array): ReadPicture | { problem: string } {
  if (payload.length === 0) return { problem: "it is empty" };
  const own = extensionOf(payload);
  const most = own ? MAX_PICTURE_BYTES : MAX_PAYLOAD_BYTES;
  if (payload.length > most) return { problem: `it is larger than ${MEGABYTES} MB: have the camera send smaller ones` };
  if (own) return { bytes: new Uint8Array(payload), extension: own };
  const bytes = base64In(payload);
  const extension = bytes && extensionOf(bytes);
  if (!bytes || !extension) return { problem: whatItIs(bytes ?? payload) };
  if (bytes.length > MAX_PICTURE_BYTES) return { problem: `it is larger than ${MEGABYTES} MB` };
  return { bytes, extension };
}

const DATA_ADDRESS = /^data:image\/[\w.+-]{1,40};base64,/;

/** As it is in a message, also as a `data:` address or broken into lines; undefined for what is not base64 to its end. */
function base64In(payload: Uint8Array): Uint8Array | undefined {
  const head = Buffer.from(payload.subarray(0, 64)).toString("latin1");
  const [address = ""] = DATA_ADDRESS.exec(head) ?? [];
  const raw = Buffer.from(payload.buffer, payload.byteOffset + address.length, payload.length - address.length);
  // Megabytes: nothing looks at each character that need not.
  const isBroken = raw.includes("\n") || raw.includes("\r") || raw.includes(" ");
  const text = isBroken ? raw.toString("latin1").replace(/\s+/g, "") : raw.toString("latin1");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(text, "base64");
  // What is no base64 is passed over by the decoder, and is missing then.
  return bytes.length === Math.floor(((text.length - padding) * 3) / 4) ? new Uint8Array(bytes) : undefined;
}

function whatItIs(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (/<svg[\s>]/i.test(head)) return "it is an SVG, which can carry scripts: send a JPEG, PNG, GIF or WebP picture";
  return "it is neither a JPEG, PNG, GIF or WebP picture nor one in base64";
}
