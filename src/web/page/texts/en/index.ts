// What the page says, in English: one file for each part of the page, and one line here.
import { activity } from "./activity.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { house } from "./house.ts";
import { messages } from "./messages.ts";

export const parts = { frame, home, device, activity, house, messages };
