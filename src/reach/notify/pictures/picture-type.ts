// A picture as channels take it: with a name, and the type that its bytes say.
import { extensionOf, mediaTypeOf } from "../../../kit/text/picture-type.ts";
import type { Picture } from "../channel.ts";

/** `name` without its extension. Undefined for what is no picture. */
export function pictureOf(name: string, bytes: Uint8Array): Picture | undefined {
  const extension = extensionOf(bytes);
  return extension && { name: `${name}.${extension}`, type: mediaTypeOf(extension), bytes };
}

/** A short name that no mail program or service trips over. */
export function plainName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "picture";
}
