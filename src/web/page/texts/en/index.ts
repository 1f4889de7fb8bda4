// What the page says, in English: one file for each part of the page, and one line here, or in later.ts.
import { device } from "./device.ts";
import { devices } from "./devices.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { inbox } from "./inbox.ts";
import { plot } from "./plot.ts";
import { words } from "./words.ts";

export const parts = { frame, home, device, devices, inbox, plot, words };
