// What a value of a device's means that is on or off, in the midst of a sentence.

import type { TextKey } from "../../texts/catalogue.ts";
import { t, textFor } from "../../texts/index.ts";
import type { Json } from "./json.ts";
import type { Property } from "./schema.ts";
import { isKind, meaningOf } from "./sensor-words.ts";

/** What is on or off about it: its kind, and whether it is on. */
export function senseOf(
  name: string,
  value: Json | undefined,
  property?: Property,
): { kind: string; is: boolean } | undefined {
  if (typeof value !== "boolean") return undefined;
  const meaning = meaningOf(name, property);
  return meaning && isKind(meaning.word) ? { kind: meaning.word, is: value !== meaning.isTurned } : undefined;
}

/** `open`, `no smoke`, `water at alarm 1`: in the midst of a sentence. Undefined for what has no words of its own. */
export function senseInWords(name: string, value: Json | undefined, property?: Property): string | undefined {
  const sense = senseOf(name, value, property);
  return sense && t(`kind.${sense.kind}.${sense.is}` as TextKey);
}

/** What it reports that is on: `smoke`, `a low battery`. */
export const nounFor = (kind: string): string => textFor(`noun.${kind}`) ?? t(`kind.${kind}.true` as TextKey);
