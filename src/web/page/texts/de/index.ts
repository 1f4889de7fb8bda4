// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { device } from "./device.ts";
import { devices } from "./devices.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { inbox } from "./inbox.ts";
import { plot } from "./plot.ts";
import { words } from "./words.ts";

export const parts: Parts = { frame, home, device, devices, inbox, plot, words };
