// The texts of one language. English says which there are: the compiler refuses another language that lacks one.
import type { parts } from "./en/index.ts";

type English = typeof parts;
type KeyOf<Part> = Part extends unknown ? keyof Part : never;

export type TextKey = KeyOf<English[keyof English]>;
export type Translated<Part extends keyof English> = Readonly<Record<keyof English[Part], string>>;
export type Parts = { readonly [Part in keyof English]: Translated<Part> };
export type Catalogue = Readonly<Record<TextKey, string>>;

export function catalogueOf(parts: Parts): Catalogue {
  return Object.assign({}, ...Object.values(parts)) as Catalogue;
}
