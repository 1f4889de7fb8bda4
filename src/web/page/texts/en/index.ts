// What the page says, in English: one file for each part of the page, and one line here.
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { replay } from "./replay.ts";

export const parts = { frame, home, device, replay };
