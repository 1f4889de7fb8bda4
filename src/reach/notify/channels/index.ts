// Every kind of channel that can be configured.
import { email } from "./email.ts";
import { matrix } from "./matrix.ts";
import { messagingBot } from "./messaging-bot.ts";
import { mqtt } from "./mqtt.ts";
import { ntfy } from "./ntfy.ts";
import { pushApp } from "./push-app.ts";
import { webPush } from "./web-push.ts";
import { webhook } from "./webhook.ts";

export const kinds = [
  messagingBot,
  pushApp,
  email,
  ntfy,
  webhook,
  matrix,
  mqtt,
  webPush,
  // A new one goes here.
] as const;
