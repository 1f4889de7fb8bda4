// Sentences with links in them.
import type { TextKey } from "../../texts/catalogue.ts";
import { t } from "../../texts/index.ts";

export type Part = string | { text: string; href: string };

/** The text with its places filled; what is filled in may be a link, or several parts. */
export function phrase(key: TextKey, values: Readonly<Record<string, Part | readonly Part[] | number>> = {}): Part[] {
  return t(key)
    .split(/(\{\w+\})/)
    .flatMap((piece): readonly Part[] => {
      const value = /^\{\w+\}$/.test(piece) ? values[piece.slice(1, -1)] : piece;
      if (value === undefined) return [piece];
      if (typeof value === "number") return [String(value)];
      return typeof value === "object" && "href" in value ? [value] : typeof value === "string" ? [value] : value;
    })
    .filter((part) => part !== "");
}

export function plain(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
}
