// `notify`: a message to people. The notifier fills in the placeholders of both texts. If the message cannot be sent, only
// this action fails.
import { Type } from "@sinclair/typebox";
import { HubError, messageOf } from "../../core/errors.ts";
import { checkOneOf } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { name, TEMPLATE, text } from "../model/fields.ts";
import { shortened } from "../model/values.ts";

const MOST_CHANNELS = 50;
const channelName = name("channel", "The name of a channel, or `log`, or `all`");

export const notify = defineAction({
  type: "notify",
  doc: "Sends a message through one notification channel or several.",
  whenInterrupted: () => "skip",
  fields: () => ({
    channel: Type.Optional(channelName),
    message: text(
      "The text; `{{device.<attribute>}}` is replaced by an attribute of the device that triggered the rule, `{{= …}}` by the value of an expression",
      { [TEMPLATE]: true },
    ),
    title: Type.Optional(text("The title; without it, `Hub Alert`", { [TEMPLATE]: true })),
    channels: Type.Optional(
      Type.Array(channelName, {
        minItems: 1,
        maxItems: MOST_CHANNELS,
        description: "The names of several channels, instead of `channel`",
      }),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: -2,
        maximum: 2,
        description:
          "From -2 (silent) to 2 (emergency), where the channel has priorities; without it, the channel's own",
      }),
    ),
    silent: Type.Optional(Type.Boolean({ description: "Whether it arrives without a sound, where the channel can" })),
    tag: Type.Optional(
      text("What the message is about: a channel that can do so shows only the last one with this tag", {
        maxLength: 64,
      }),
    ),
  }),
  check: (spec) => checkOneOf(spec, ["channel", "channels"]),
  async run({ channel, channels = [], message, title, priority, silent, tag }, scope) {
    const { host, deviceId, trigger, vars, evaluate, signal } = scope;
    const names = channel === undefined ? [...new Set(channels)] : [channel];
    const context = { deviceId, trigger, vars, evaluate };
    const options = { priority, silent, tag };
    const sent = await Promise.allSettled(
      names.map((one) => host.notify({ channel: one, message, title, ...options, context }, signal)),
    );
    const failures = sent.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    const [first] = failures;
    if (first !== undefined && names.length === 1) throw first;
    if (first !== undefined)
      throw new HubError(
        "upstream_failed",
        `${failures.length} of ${names.length} channels: ${failures.map(messageOf).join("; ")}`,
      );
    return `${names.join(", ")}: ${shortened(message)}`;
  },
  example: { channel: "all", title: "Door", message: "Open at {{device.temperature}} °C 🚪" },
});
