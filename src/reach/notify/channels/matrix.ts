// `matrix`: a room of Matrix, over the client API of its homeserver.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { answerLinks } from "../answer-links.ts";
import {
  type Channel,
  type ChannelDeps,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  defineChannel,
  type Picture,
} from "../channel.ts";
import { refusalOf } from "../http/web-failure.ts";
import {
  apiUrlProblems,
  call,
  HEADER_SAFE,
  type PostAnswer,
  type WebRequest,
  withoutSlash,
} from "../http/web-service.ts";
import { sendOrPlain } from "../last-try.ts";
import { speaks } from "../markup/dialect.ts";
import { html } from "../markup/html.ts";
import { shorten } from "../markup/long-text.ts";
import { plain, pushoverHtml } from "../markup/plain-dialects.ts";
import { fitted, isSilent, textOf } from "../plain-message.ts";
import type { ListenedRoom } from "./matrix-listener.ts";
import { annotationOf, reactionsOf } from "./matrix-reactions.ts";

const MAX_PLAIN_BYTES = 6000;
// An event has 64 KiB, both forms of the text go into it, and what takes its place later has both twice.
const MAX_JSON = 30_000;
const MAX_TITLE = 250;
const EMERGENCY = 2;
/** What a room may show, as the specification lists it. */
const TAGS = new Set("b strong i em u s del code pre a blockquote br p ul ol li h1 h2 h3 h4 span".split(" "));

const SERVICE = "the Matrix server";
const MAX_RECENT = 50;

const fields = {
  homeserver: Type.String({
    pattern: "^https?://[^/@?#\\s]+(/[^@?#\\s]*)?$",
    problem: "must be an address such as https://matrix.example.org, without user, query or fragment",
  }),
  room: Type.String({
    pattern: "^![^\\s/]{1,254}$",
    problem: 'must be the internal id of a room, such as "!abc:example.org": it is in the room\'s settings',
  }),
  access_token: Type.String({ ...HEADER_SAFE, secret: true, description: "Of the account that writes the messages" }),
  html: Type.Boolean({ default: false, description: "Whether messages may contain HTML tags" }),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const matrix = defineChannel({
  kind: "matrix",
  service: "Matrix",
  fields,
  problems: ({ homeserver }, at) => apiUrlProblems(homeserver, at, "homeserver"),
  open(config, deps) {
    const room = openRoom(config, deps);
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 1 },
      ...speaks(config.html ? pushoverHtml : plain),
      ...room,
    };
  },
  doc: "A room of Matrix.",
  example: {
    name: "room",
    homeserver: "https://matrix.home.example",
    room: "!abcdefgh:home.example",
    access_token: "syt_the-access-token",
  },
});

function openRoom(config: Config, deps: ChannelDeps): Pick<Channel, "send" | "change" | "remove" | "listen"> {
  const { fetch, clock, log, houseTime } = deps;
  const base = withoutSlash(config.homeserver);
  const room = `${base}/_matrix/client/v3/rooms/${encodeURIComponent(config.room)}`;

  /** The events of messages that were sent lately, by their ids, the newest last. */
  const recent = new Map<string, string>();

  async function ask(
    request: Pick<WebRequest, "method" | "url" | "body">,
    signal: AbortSignal,
    type = "application/json",
  ): Promise<PostAnswer> {
    const content: Record<string, string> = request.body === undefined ? {} : { "content-type": type };
    const headers = { authorization: `Bearer ${config.access_token}`, ...content };
    return call(fetch, { ...request, headers, service: SERVICE, addressKey: "homeserver" }, signal);
  }

  /** The server takes a transaction once, however often it is sent. */
  async function put(path: string, transaction: string, content: JsonObject, signal: AbortSignal): Promise<Delivery> {
    const url = `${room}/${path}/${encodeURIComponent(transaction)}`;
    const answer = await ask({ method: "PUT", url, body: JSON.stringify(content) }, signal);
    const { status, json } = answer;
    const event = json?.event_id;
    if (status === 200 && typeof event === "string" && event.length <= 255)
      return { status, answer: `event ${event}`, parts: 1, remote: event };
    throw failureOf(answer);
  }

  async function upload({ name, type, bytes }: Picture, signal: AbortSignal): Promise<string> {
    const url = `${base}/_matrix/media/v3/upload?filename=${encodeURIComponent(name.toWellFormed())}`;
    const answer = await ask({ method: "POST", url, body: new Uint8Array(bytes) }, signal, type);
    const uri = answer.json?.content_uri;
    if (answer.status === 200 && typeof uri === "string" && uri.startsWith("mxc://")) return uri;
    throw failureOf(answer);
  }

  function failureOf(answer: PostAnswer): DeliveryError {
    const { json } = answer;
    const words = typeof json?.error === "string" ? `${json.errcode}: ${json.error}`.slice(0, 300) : undefined;
    const asked = Number(json?.retry_after_ms);
    const retryAfterMs = asked > 0 ? asked : undefined;
    return refusalOf(answer, { service: SERVICE, clock, words, retryAfterMs, hint: hintFor(answer) });
  }

  /** The alarm is never lost for its picture. */
  async function withPicture(delivery: Delivery, message: ChannelMessage, signal: AbortSignal): Promise<Delivery> {
    const { picture, id } = message;
    if (!picture) return delivery;
    try {
      const content = imageOf(picture, await upload(picture, signal));
      await put("send/m.room.message", `${id}.image`, content, signal);
      return { ...delivery, parts: delivery.parts + 1 };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (error.fault.transient) throw new DeliveryError(error.message, { ...error.fault, partsArrived: 1 });
      log.warn("the picture was refused", { answer: error.message });
      return { ...delivery, note: `without its picture: ${error.message}` };
    }
  }

  /** Puts the text there, as plain text where the server refuses it otherwise. */
  async function putText(
    message: ChannelMessage,
    transaction: (content: JsonObject) => string,
    wrap: (content: JsonObject) => JsonObject,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const putAs = (html: boolean, suffix: string) => async (one: ChannelMessage) => {
      const content = wrap(contentOf(one, { html, houseTime }));
      return put("send/m.room.message", transaction(content) + suffix, content, signal);
    };
    const dialect = config.html ? pushoverHtml : plain;
    return sendOrPlain(message, { log, dialect, send: putAs(config.html, ""), sendPlain: putAs(false, ".plain") });
  }

  /** The text, once: an earlier try may have failed at the picture alone. */
  async function sendText(message: ChannelMessage, signal: AbortSignal): Promise<Delivery> {
    const { id, skipParts = 0 } = message;
    if (skipParts > 0) {
      const remote = recent.get(id);
      return { answer: "the text arrived in an earlier try", parts: 0, ...(remote !== undefined && { remote }) };
    }
    const delivery = await putText(
      message,
      () => id,
      (content) => content,
      signal,
    );
    if (delivery.remote !== undefined) recent.set(id, delivery.remote);
    for (const oldest of recent.keys()) if (recent.size > MAX_RECENT) recent.delete(oldest);
    return delivery;
  }

  /** Puts the reactions there to be tapped. Whoever types one can answer without, so that no alarm fails for it. */
  async function offer({ remote }: Delivery, message: ChannelMessage, signal: AbortSignal): Promise<void> {
    if (remote === undefined) return;
    for (const reaction of reactionsOf(message)) {
      const content = annotationOf(remote, reaction);
      try {
        await put("send/m.reaction", `react.${digestOf(content)}`, content, signal);
      } catch (error) {
        log.info("the reactions that answer are not shown under a message", { reason: messageOf(error) });
        return;
      }
    }
  }

  return {
    async send(message, signal) {
      const text = await sendText(message, signal);
      const delivery = await withPicture(text, message, signal);
      await offer(delivery, message, signal);
      return delivery;
    },
    async change(remote, message, signal) {
      const delivery = await putText(
        message,
        (content) => `${message.id}.edit.${digestOf(content)}`,
        (content) => replacementOf(remote, content),
        signal,
      );
      // Later changes replace the first event, too.
      const changed = { ...delivery, remote };
      await offer(changed, message, signal);
      return changed;
    },
    async remove(remote, signal) {
      await put(`redact/${encodeURIComponent(remote)}`, `redact.${digestOf({ remote })}`, {}, signal);
    },
    listen(inbox) {
      const { listenToRoom } = require("./matrix-listener.ts") as typeof import("./matrix-listener.ts");
      const listened: ListenedRoom = {
        room: config.room,
        isRecent: (event) => [...recent.values()].includes(event),
        read: (path, signal) => ask({ method: "GET", url: `${base}/_matrix/client/${path}` }, signal),
        failureOf,
      };
      return listenToRoom(listened, inbox, deps);
    },
  };
}

function digestOf(content: JsonObject): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64url");
}

function hintFor({ status, json }: PostAnswer): string | undefined {
  switch (json?.errcode) {
    case "M_UNKNOWN_TOKEN":
    case "M_MISSING_TOKEN":
      return "Likely a wrong access_token, or one that was logged out";
    case "M_FORBIDDEN":
      return "The account may not write there: invite it into the room, accept the invitation, and let it send messages";
    case "M_TOO_LARGE":
      return "The server takes no message or picture of that size";
  }
  return status < 300 || status === 404 || status === 405 ? "Likely a wrong homeserver or room" : undefined;
}

// A message as the event of a Matrix room: https://spec.matrix.org/latest/client-server-api/#mroommessage

interface MatrixText {
  /** Whether the message is HTML. */
  html: boolean;
  houseTime: (at: number) => string;
}

/** `content` of an `m.room.message`. What matters little is a notice, an emergency mentions everybody in the room. */
function contentOf(message: ChannelMessage, how: MatrixText): JsonObject {
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
function replacementOf(event: string, content: JsonObject): JsonObject {
  return {
    ...content,
    ...{ body: `* ${content.body}`, formatted_body: `* ${content.formatted_body}` },
    "m.new_content": content,
    "m.relates_to": { rel_type: "m.replace", event_id: event },
  };
}

/** The event of a picture that was uploaded to `uri`. */
function imageOf({ name, type, bytes }: Picture, uri: string): JsonObject {
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
