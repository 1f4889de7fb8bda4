// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { leads, sentences } from "./hub-words.ts";
import { words as ofWords } from "./words.ts";

export const parts: Parts = { device, frame, home, words: ofWords };
export const words = { sentences, leads };
