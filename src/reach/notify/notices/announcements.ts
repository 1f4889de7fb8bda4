// A notice as others are notified of it: as a channel shows it now, and as events say it.
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { ChannelMessage } from "../channel.ts";
import type { Unaddressed } from "../messenger.ts";
import type { NoticesDeps } from "./deps.ts";
import type { Notice } from "./notice.ts";
import { fromSnapshot } from "./snapshot.ts";
import { endLine } from "./words.ts";

/** With its buttons while it is open, with how it ended afterwards. */
export function messageFor(
  notice: Notice,
  channel: string,
  { render, houseTime }: Pick<NoticesDeps, "render" | "houseTime">,
): ChannelMessage {
  const { id, at, plan, state } = notice;
  const closing = endLine(notice, houseTime);
  const { actions, ...said } = plan.said;
  const buttons = state === "open" && plan.answerable ? { answerable: true, ...(actions && { actions }) } : {};
  const message = render({ ...fromSnapshot(said), channel, notice: id, ...buttons });
  // Where a changed message sounds again, nobody is alarmed by the news that it is over.
  return { ...message, at, late: false, ...(closing !== undefined && { closing, silent: true }) };
}

/** How it ended, as a message of its own, for channels that cannot change the first. */
export function endOf(notice: Notice, { houseTime }: Pick<NoticesDeps, "houseTime">): Unaddressed {
  const values = { title: notice.title, line: endLine(notice, houseTime) ?? "" };
  const context = { deviceId: undefined, trigger: {}, vars: values };
  return { title: "{{vars.title}}", message: "{{vars.line}}", silent: true, context };
}

export function answeredEvent({ id, tag = "", title, end }: Notice): HubEvent {
  const { action = "", by = "", channel = "", at = 0 } = end ?? {};
  return { type: "notification_acknowledged", id, tag, title, action, by, channel, at: isoSeconds(at) };
}

export function unansweredEvent({ id, tag = "", title, unansweredAt = 0, plan }: Notice): HubEvent {
  return { type: "notification_unanswered", id, tag, title, asked: plan.stages.length, at: isoSeconds(unansweredAt) };
}
