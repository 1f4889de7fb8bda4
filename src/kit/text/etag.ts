// The ETag of a text that people edit.
import { createHash } from "node:crypto";

/** Changes whenever the text does. */
export function etagOf(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}
