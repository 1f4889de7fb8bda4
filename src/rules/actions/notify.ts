// `notify`: a message to people. Placeholders in both texts are filled in by the notifier; one that cannot be sent fails
// this action and nothing else.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../define.ts";
import { name, text } from "../fields.ts";
import { shortened } from "../values.ts";

export const notify = defineAction({
  type: "notify",
  doc: "Sends a message through a notification channel.",
  fields: () => ({
    channel: name("channel", "The name of a channel, or `log`, or `all`"),
    message: text("The text; `{{device.<attribute>}}` stands for an attribute of the device that set the rule off"),
    title: Type.Optional(text("The title; `Hub Alert` when absent")),
  }),
  async run({ channel, message, title }, { host, deviceId, trigger, vars, signal }) {
    await host.notify({ channel, message, title, context: { deviceId, trigger, vars } }, signal);
    return `${channel}: ${shortened(message)}`;
  },
  example: { channel: "all", title: "Door", message: "Open at {{device.temperature}} °C 🚪" },
});
