// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { activity } from "./activity.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { house } from "./house.ts";
import { messages } from "./messages.ts";

export const parts: Parts = { frame, home, device, activity, house, messages };
