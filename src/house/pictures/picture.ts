// A picture of a device as the hub keeps it.
import { createHash } from "node:crypto";
import { type Extension, mediaTypeOf, type ReadPicture } from "../../kit/text/picture-type.ts";

export interface KeptPicture {
  /** When it came, epoch ms. */
  readonly at: number;
  /** Which of the device's pictures it is: `person`; empty where it distinguishes none. */
  readonly of: string;
  /** Of its bytes, without quotes: 22 characters. */
  readonly tag: string;
  readonly extension: Extension;
  readonly size: number;
}

/** With its bytes. */
export interface Shot extends KeptPicture {
  readonly bytes: Uint8Array;
}

export function shotOf({ bytes, extension }: ReadPicture, { at, of }: { at: number; of: string }): Shot {
  const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { at, of, tag, extension, size: bytes.length, bytes };
}

export function typeOf({ extension }: KeptPicture): string {
  return mediaTypeOf(extension);
}

const NAME = /^(\d{1,15})-([\w-]{22})-([\w-]{0,60})\.(jpg|png|gif|webp)$/;

/** The file that it is kept in: what is to be known of it without opening it. */
export function fileNameOf({ at, tag, of, extension }: KeptPicture): string {
  return `${Math.max(0, Math.round(at))}-${tag}-${of}.${extension}`;
}

/** Undefined for another file. */
export function pictureIn(name: string, size: number): KeptPicture | undefined {
  const [, at, tag, of, extension] = NAME.exec(name) ?? [];
  if (tag === undefined || of === undefined) return undefined;
  return { at: Number(at), tag, of, extension: extension as Extension, size };
}

/** What a person or an announcement calls one of several, as it is kept and asked for. */
export function kindOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
}
