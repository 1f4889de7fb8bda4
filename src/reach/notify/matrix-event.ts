// A message as the event of a Matrix room: https://spec.matrix.org/latest/client-server-api/#mroommessage
import type { JsonObject } from "../../kit/schema/json.ts";
import { answerLinks } from "./answer-links.ts";
import type { ChannelMessage, Picture } from "./channel.ts";
import { html } from "./markup/html.ts";
import { shorten } from "./markup/long-text.ts";
import { reactionsOf } from "./matrix-reactions.ts";
import { fitted, isSilent, textOf } from "./plain-message.ts";

const MAX_PLAIN_BYTES = 6000;
// An event has 64 KiB, both forms of the text go into it, and what takes its place later has both twice.
const MAX_JSON = 30_000;
const MAX_TITLE = 250;
const EMERGENCY = 2;
/** What a room may show, as the specification lists it. */
const TAGS = new Set("b strong i em u s del code pre a blockquote br p ul ol li h1 h2 h3 h4 span".split(" "));

export interface MatrixText {
  /** Whether the message is HTML. */
  html: boolean;
  houseTime: (at: number) => string;
}

/** `content` of an `m.room.message`. What matters little is a notice, an emergency mentions everybody in the room. */
export function contentOf(message: ChannelMessage, how: MatrixText): JsonObject {
  const title = shorten(message.title.toWellFormed(), MAX_TITLE);
  const { priority = 0 } = message;
  const answers = answersOf(message);
  const withText = (limit: number): JsonObject => {
    const { plain, marked } = how.html ? markedTexts(message, how, limit) : plainTexts(message, how, limit);
    return {
      msgtype: isSilent(message) ? "m.notice" : "m.text",
      body: `${title}\n${plain}${answers.plain}`,
      format: "org.matrix.custom.html",
      formatted_body: `<strong>${html.escape(title)}</strong><br>${marked}${answers.marked}`,
      "m.mentions": priority >= EMERGENCY && message.silent !== true ? { room: true } : {},
    };
  };
  return fitted(withText, { limit: MAX_PLAIN_BYTES, bytes: MAX_JSON });
}

/** What takes the place of an event. */
export function replacementOf(event: string, content: JsonObject): JsonObject {
  return {
    ...content,
    ...{ body: `* ${content.body}`, formatted_body: `* ${content.formatted_body}` },
    "m.new_content": content,
    "m.relates_to": { rel_type: "m.replace", event_id: event },
  };
}

/** The event of a picture that was uploaded to `uri`. */
export function imageOf({ name, type, bytes }: Picture, uri: string): JsonObject {
  const body = name.toWellFormed();
  return { msgtype: "m.image", body, url: uri, info: { mimetype: type, size: bytes.length }, "m.mentions": {} };
}

/** How it can be answered: by which reactions, and by links. */
function answersOf(message: ChannelMessage): Texts {
  const reactions = reactionsOf(message).map(({ key, label }) => `${key} ${label}`);
  const react = reactions.length > 0 ? `React with ${reactions.join(" · ")}` : "";
  const links = answerLinks(message);
  const blocks = [
    { plain: react, marked: html.escape(react) },
    {
      plain: links.map(({ label, url }) => `${label}: ${url}`).join("\n"),
      marked: links.map(({ label, url }) => `<a href="${html.escape(url)}">${html.escape(label)}</a>`).join(" · "),
    },
  ].filter(({ plain }) => plain !== "");
  return {
    plain: blocks.map(({ plain }) => `\n\n${plain}`).join(""),
    marked: blocks.map(({ marked }) => `<br><br>${marked}`).join(""),
  };
}

interface Texts {
  plain: string;
  /** In HTML. */
  marked: string;
}

function plainTexts(message: ChannelMessage, { houseTime }: MatrixText, limit: number): Texts {
  const plain = textOf(message, houseTime, limit);
  return { plain, marked: withBreaks(html.escape(plain)) };
}

/** `limit`: characters, markup included. */
function markedTexts(message: ChannelMessage, { houseTime }: MatrixText, limit: number): Texts {
  const added = textOf({ ...message, message: "-" }, houseTime, MAX_PLAIN_BYTES).slice(1);
  const text = message.message.trim() === "" ? html.escape(message.title) : message.message;
  const tokens = html.tokens(shorten(text.toWellFormed(), Math.max(0, limit - added.length), html));
  const plain = tokens.map((token) => (token.kind === "text" ? html.plain(token.source) : "")).join("");
  const marked = tokens.map((token) =>
    token.kind === "text" || !isShown(token.source) ? escaped(token.source) : token.source,
  );
  return { plain: plain + added, marked: withBreaks(marked.join("") + html.escape(added)) };
}

/** Entities stay, anything else is a text. */
function escaped(source: string): string {
  return html.escape(html.plain(source));
}

function isShown(tag: string): boolean {
  return TAGS.has(/^<\/?([a-z][\w-]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "");
}

function withBreaks(text: string): string {
  return text.replace(/\r?\n/g, "<br>");
}
