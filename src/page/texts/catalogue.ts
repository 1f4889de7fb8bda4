// The texts of one language. English says which there are: the compiler refuses another language that lacks one.
import type { parts } from "./en/index.ts";
import type { later } from "./en/later.ts";

type English = typeof parts & typeof later;
type KeyOf<Part> = Part extends unknown ? keyof Part : never;

export type TextKey = KeyOf<English[keyof English]>;
export type Translated<Part extends keyof English> = Readonly<Record<keyof English[Part], string>>;
export type Parts = { readonly [Part in keyof typeof parts]: Translated<Part> };
export type Later = { readonly [Part in keyof typeof later]: Translated<Part> };
export type Catalogue = Readonly<Record<TextKey, string>>;

export function catalogueOf(parts: Parts, later: Partial<Later> = {}): Catalogue {
  return Object.assign({}, ...Object.values(parts), ...Object.values(later)) as Catalogue;
}
