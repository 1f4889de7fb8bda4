// Every kind of channel that can be configured.
import { email } from "./email.ts";
import { messagingBot } from "./messaging-bot.ts";
import { pushApp } from "./push-app.ts";

export const kinds = [
  messagingBot,
  pushApp,
  email,
  // A new one goes here.
] as const;
