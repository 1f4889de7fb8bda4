// `notify`: a message to people. The notifier fills in the placeholders of both texts. If the message cannot be sent, only
// this action fails.
import { Type } from "@sinclair/typebox";
import { isBlank } from "../../kit/text/clean-text.ts";
import { parseImageSource } from "../../kit/text/image-source.ts";
import { ACKNOWLEDGE, PRIORITIES, type PriorityName, priorityOf } from "../../kit/text/message-words.ts";
import { checkOneOf, invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { choice, IMAGE, name, secs, TEMPLATE, text } from "../model/fields.ts";
import { shortened } from "../model/values.ts";

const MAX_CHANNELS = 50;
const MAX_ACTIONS = 8;
const A_DAY_SECS = 86_400;
const action = Type.Object(
  {
    id: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,24}$",
      problem: "must have 1 to 24 letters, digits, `_` or `-`",
      description: "What `notification_acknowledged` calls it",
    }),
    label: text("What the button says", { maxLength: 60 }),
  },
  { additionalProperties: false },
);
const channelName = name(
  "channel",
  "The name of a channel, or `log`, or `all`; or `person:NAME`, `people:GROUP`, `people:home`, `people:all`",
);
const WORDS = Object.keys(PRIORITIES) as PriorityName[];
const priority = Type.Union([...WORDS.map((word) => Type.Literal(word)), Type.Integer({ minimum: -2, maximum: 2 })], {
  problem: 'must be "low", "normal", "high" or "emergency", or a whole number from -2 (silent) to 2 (emergency)',
  description:
    "`low`, `normal`, `high` or `emergency`, or from -2 (silent) to 2 (emergency): the more important go first, and sound where the channel can; without it, the channel's own",
});
const MAX_IMAGE_CHARS = 1000;
/** How far an action is that has handed its message over. */
const STORED = "stored";

export const notify = defineAction({
  type: "notify",
  doc: "Sends a message through one notification channel or several.",
  whenInterrupted: () => "resume",
  fields: () => ({
    channel: Type.Optional(channelName),
    message: Type.Optional(
      text(
        "The text, which only `clear` does without; `{{device.<attribute>}}` is replaced by an attribute of the device that triggered the rule, `{{= …}}` by the value of an expression",
        { [TEMPLATE]: true },
      ),
    ),
    title: Type.Optional(text("The title; without it, `Hub Alert`", { [TEMPLATE]: true })),
    channels: Type.Optional(
      Type.Array(channelName, {
        minItems: 1,
        maxItems: MAX_CHANNELS,
        description: "The names of several channels, instead of `channel`",
      }),
    ),
    priority: Type.Optional(priority),
    silent: Type.Optional(Type.Boolean({ description: "Whether it arrives without a sound, where the channel can" })),
    markup: Type.Optional(
      choice(
        ["html", "markdown", "none"],
        "What the message is written in, for all channels alike; without it, in each channel's own markup",
      ),
    ),
    tag: Type.Optional(
      text("What the message is about: a channel that can do so shows only the last one with this tag", {
        maxLength: 64,
      }),
    ),
    image: Type.Optional(
      text(
        "A picture that goes with it: `device:ID` (the camera's snapshot address, or that in `device:ID/ATTRIBUTE`), `mqtt:TOPIC`, or a file such as `pictures/plan.png`",
        { maxLength: MAX_IMAGE_CHARS, [IMAGE]: true },
      ),
    ),
    actions: Type.Optional(
      Type.Array(action, {
        minItems: 1,
        maxItems: MAX_ACTIONS,
        description: "Buttons under it, beside the one that confirms, where the channel has buttons",
      }),
    ),
    escalate_after: Type.Optional(
      secs("The names in `channels` are asked one after the other, so long apart, until somebody answers", {
        minimum: 1,
        maximum: A_DAY_SECS,
      }),
    ),
    clear: Type.Optional(
      Type.Boolean({ description: "true, with `tag` and no message: takes back what the tag last said" }),
    ),
  }),
  check(spec) {
    if (spec.clear) return checkClear(spec);
    if (spec.message === undefined) throw invalid("message", "missing: must be text");
    if (isBlank(spec.message)) throw invalid("message", "is blank: write what people should read");
    checkOneOf(spec, ["channel", "channels"]);
    checkImage(spec.image);
    const blank = (spec.actions ?? []).findIndex(({ label }) => isBlank(label));
    if (blank >= 0) throw invalid(`actions[${blank}].label`, "is blank: write what the button says");
    const ids = (spec.actions ?? []).map(({ id }) => id);
    if (new Set(ids).size < ids.length || ids.includes(ACKNOWLEDGE))
      throw invalid("actions", `each needs an id of its own, and not "${ACKNOWLEDGE}"`);
  },
  async run(spec, scope: ActionScope<"notify" | "clearNotification">) {
    const { channel, channels = [], message = "", title, silent, tag, actions, image, markup, escalate_after } = spec;
    const { host, deviceId, trigger, vars, evaluate, signal, ruleId: rule } = scope;
    if (spec.clear) return `${tag}: ${host.clearNotification(tag ?? "") ? "taken back" : "nothing to take back"}`;
    const once = scope.once();
    if (scope.resumed() === STORED || once?.happened) return "it was stored for sending before the hub was stopped";
    const names = channel === undefined ? [...new Set(channels)] : [channel];
    const context = { deviceId, trigger, vars, evaluate };
    const escalateMs = escalate_after === undefined ? undefined : escalate_after * 1000;
    const options = { priority: priorityOf(spec.priority), silent, tag, actions, image, markup, rule, escalateMs };
    const notification = { channels: names, message, title, ...options, context };
    const enqueued = host.notify(notification, signal, once?.record);
    // A run that another action begins to keep now must not do it again either.
    scope.progress(STORED);
    const { undelivered, later, notes } = await enqueued;
    const to = names.join(escalateMs === undefined ? ", " : ", then ");
    const sent = [`${to}: ${shortened(message)}`, ...notes].join("; ");
    void later?.then((what) => what && scope.undelivered(what));
    if (undelivered === undefined) return sent;
    scope.undelivered(undelivered);
    return `${sent} (queued: ${undelivered.why})`;
  },
  example: { channel: "all", title: "Door", message: "Open at {{device.temperature}} °C 🚪" },
});

function checkImage(image: string | undefined): void {
  const source = image === undefined ? undefined : parseImageSource(image);
  if (source && "problem" in source) throw invalid("image", source.problem);
}

function checkClear({ tag, message }: { tag?: string; message?: string }): void {
  if (tag === undefined) throw invalid("tag", "missing: `clear` takes back what was said with a tag");
  if (message !== undefined) throw invalid("clear", "takes a message back: leave out `message`, or `clear`");
}
