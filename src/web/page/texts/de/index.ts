// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { replay } from "./replay.ts";

export const parts: Parts = { frame, home, device, replay };
