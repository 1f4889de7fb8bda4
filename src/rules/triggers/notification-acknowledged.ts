// `notification_acknowledged`: somebody confirms a notification or answers it with a button, or everybody was asked and nobody did.
import { Type } from "@sinclair/typebox";
import { checkNotBoth } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";
import { text } from "../model/fields.ts";

export const notificationAcknowledged = defineTrigger({
  type: "notification_acknowledged",
  doc: "Somebody confirms a notification, or answers it with one of its buttons; with `unanswered`, nobody has, though all were asked.",
  fields: {
    tag: Type.Optional(text("Only notifications with this `tag`", { maxLength: 64 })),
    action: Type.Optional(
      text("Only this answer: `acknowledge`, or the id of one of the notification's `actions`", { maxLength: 24 }),
    ),
    title: Type.Optional(text("Only notifications with this title, as it was sent", { maxLength: 250 })),
    unanswered: Type.Optional(
      Type.Boolean({ description: "true: fires when everybody was asked one after the other and nobody has answered" }),
    ),
  },
  check: ({ unanswered, action }) =>
    checkNotBoth({ unanswered: unanswered || undefined, action }, ["unanswered", "action"]),
  label({ tag, title, action, unanswered }) {
    const named = tag === undefined ? title : tag;
    const what = named === undefined ? "a notification" : `the notification "${named}"`;
    if (unanswered) return `nobody answers ${what}`;
    return action === undefined || action === "acknowledge"
      ? `somebody ${action === undefined ? "answers" : "confirms"} ${what}`
      : `somebody answers ${what} with ${action}`;
  },
  contextKeys: ["notification_id", "tag", "title", "action", "by", "channel"],
  interests: ({ tag, unanswered }) => [
    interestIn(unanswered ? "notification_unanswered" : "notification_acknowledged", "tag", tag),
  ],
  match({ tag, title, action, unanswered }, envelope) {
    const answered = unanswered ? undefined : eventOf("notification_acknowledged", envelope);
    const event = unanswered ? eventOf("notification_unanswered", envelope) : answered;
    if (!event || (tag !== undefined && tag !== event.tag) || (title !== undefined && title !== event.title))
      return undefined;
    if (action !== undefined && action !== answered?.action) return undefined;
    const about = { notification_id: event.id, tag: event.tag, title: event.title };
    return answered ? { ...about, action: answered.action, by: answered.by, channel: answered.channel } : about;
  },
  example: { tag: "leak", action: "acknowledge" },
});
