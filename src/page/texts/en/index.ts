// What the page says, in English: one file for each part of the page, and one line here, or in later.ts.
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { words } from "./words.ts";

export const parts = { device, frame, home, words };
