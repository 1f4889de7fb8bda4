// `notify`: a message to people. The notifier fills in the placeholders of both texts. If the message cannot be sent, only
// this action fails.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name, TEMPLATE, text } from "../model/fields.ts";
import { shortened } from "../model/values.ts";

export const notify = defineAction({
  type: "notify",
  doc: "Sends a message through a notification channel.",
  whenInterrupted: () => "skip",
  fields: () => ({
    channel: name("channel", "The name of a channel, or `log`, or `all`"),
    message: text(
      "The text; `{{device.<attribute>}}` is replaced by an attribute of the device that triggered the rule",
      { [TEMPLATE]: true },
    ),
    title: Type.Optional(text("The title; without it, `Hub Alert`", { [TEMPLATE]: true })),
  }),
  async run({ channel, message, title }, { host, deviceId, trigger, vars, signal }) {
    await host.notify({ channel, message, title, context: { deviceId, trigger, vars } }, signal);
    return `${channel}: ${shortened(message)}`;
  },
  example: { channel: "all", title: "Door", message: "Open at {{device.temperature}} °C 🚪" },
});
