// What a picture is, told by its first bytes: what a camera or a file's name says is not believed.
import type { Picture } from "../channel.ts";

/** What Pushover takes; Telegram takes more. */
export const LARGEST_PICTURE_BYTES = 5 * 1_048_576;

export const EXTENSIONS = ["jpg", "png", "gif", "webp"] as const;
type Extension = (typeof EXTENSIONS)[number];

/** Undefined for what is no picture, or of a kind that services do not take. */
export function extensionOf(bytes: Uint8Array): Extension | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\xff\xd8\xff")) return "jpg";
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(head)) return "gif";
  return /^RIFF....WEBP/s.test(head) ? "webp" : undefined;
}

/** `name` without its extension. Undefined for what is no picture. */
export function pictureOf(name: string, bytes: Uint8Array): Picture | undefined {
  const extension = extensionOf(bytes);
  if (!extension) return undefined;
  return { name: `${name}.${extension}`, type: `image/${extension === "jpg" ? "jpeg" : extension}`, bytes };
}

/** A short name that no mail program or service trips over. */
export function plainName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "picture";
}
