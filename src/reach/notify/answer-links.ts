// The signed links of a message that can be answered, as channels without buttons of their own show them.
import { ACKNOWLEDGE, type AnswerLink, type ChannelMessage } from "./channel.ts";

/** One for each answer, the one that confirms first; none where the hub has no address of its own. Labels are plain text in one line. */
export function answerLinks({ acknowledgeUrl: url, actionLinks = [] }: ChannelMessage): AnswerLink[] {
  if (url === undefined) return [];
  const others = actionLinks.map((link) => ({ ...link, label: link.label.replace(/\s+/g, " ").trim().toWellFormed() }));
  return [{ id: ACKNOWLEDGE, label: CONFIRM, url }, ...others];
}

const CONFIRM = "Confirm";
