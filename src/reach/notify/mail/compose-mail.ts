// A message as a mail: headers, a text and an HTML part, its picture inside and as a file.

import MailComposer from "nodemailer/lib/mail-composer";
import { encodeWord } from "nodemailer/lib/mime-funcs";
import { answerLinks } from "../answer-links.ts";
import type { AnswerLink, ChannelMessage } from "../channel.ts";
import { html } from "../markup/html.ts";
import { shorten } from "../markup/long-text.ts";

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export interface MailFrame {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly houseTime: (at: number) => string;
  /** Without an HTML part. */
  readonly plainOnly?: boolean;
}

const MAX_SUBJECT = 250;
// A longer word cannot be folded within the 78 characters of a line that mail programs expect; 998 octets are the end (RFC 5322).
const MAX_WORD = 60;
const ENCODED_WORD = 52;
const PICTURE = "picture@hub";
const BUTTON = "display: inline-block; padding: 10px 20px; border: 1px solid; border-radius: 6px; font-weight: bold";

/** The same message makes the same mail but for its boundaries: mail programs recognise a copy that arrives twice by its id. */
export function composeMail(frame: MailFrame, message: ChannelMessage) {
  return new MailComposer({ ...mailOf(frame, message), disableFileAccess: true, disableUrlAccess: true }).compile();
}

/** With `html`, the author's markup goes into the HTML part, and `message` is the same as plain text. */
function mailOf({ from, to, houseTime, plainOnly }: MailFrame, message: ChannelMessage) {
  const { title, picture } = message;
  const answers = answerLinks(message);
  const subject = shorten(title.toWellFormed(), MAX_SUBJECT);
  const whole = subject === title ? "" : `${title}\n\n`;
  const lateness = message.late ? `\n\n(delivered late; this is from ${houseTime(message.at)})` : "";
  const after = (message.repeats ? ` ${message.repeats}` : "") + lateness;
  const lines = answers.map(({ label, url }) => `${label}: ${url}`).join("\n");
  const body = html.escape(whole) + (message.html ?? html.escape(message.message)) + html.escape(after);
  const shown = picture ? `<p><img src="cid:${PICTURE}" alt="" style="max-width: 100%"></p>` : "";
  return {
    from: { ...from },
    to: to.map((each) => ({ ...each })),
    date: new Date(message.at),
    messageId: `<${message.id}@${from.address.split("@")[1]}>`,
    headers: { Subject: subjectOf(subject), "Auto-Submitted": "auto-generated", ...importanceOf(message) },
    text: whole + message.message + after + (lines && `\n\n${lines}`),
    html: plainOnly
      ? undefined
      : `<!doctype html><html><body><div style="white-space: pre-wrap">${body}</div>${answers.map(buttonOf).join("")}${shown}</body></html>`,
    ...(picture && { attachments: [attachmentOf(picture)] }),
  };
}

/** A link that looks like a button, where the mail program shows styles. It leads to a page with the button that answers. */
function buttonOf({ label, url }: AnswerLink): string {
  return `<p><a href="${html.escape(url)}" style="${BUTTON}">${html.escape(label)}</a></p>`;
}

function attachmentOf({ name, type, bytes }: NonNullable<ChannelMessage["picture"]>) {
  return { filename: name, contentType: type, content: Buffer.from(bytes), cid: PICTURE };
}

/** A text that looks encoded would be decoded by mail programs, and a long word would make a line that servers refuse. */
function subjectOf(title: string) {
  const plain = !title.includes("=?") && title.split(" ").every((word) => word.length <= MAX_WORD);
  if (plain) return title;
  return { prepared: true, foldLines: true, value: encodeWord(title, "B", ENCODED_WORD) };
}

function importanceOf({ priority = 0 }: ChannelMessage): Record<string, string> {
  if (priority > 0) return { Importance: "high", "X-Priority": "1 (Highest)" };
  return priority < 0 ? { Importance: "low", "X-Priority": "5 (Lowest)" } : {};
}
