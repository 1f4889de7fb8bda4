// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { plugins } from "./plugins.ts";
import { system } from "./system.ts";

export const parts: Parts = { frame, home, device, system, plugins };
