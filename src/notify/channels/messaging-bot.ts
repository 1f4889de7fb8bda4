// `messaging_bot`: Telegram, or another server with its Bot API.
import { type Static, Type } from "@sinclair/typebox";
import { sleep } from "../../core/clock.ts";
import { isObject } from "../../core/json.ts";
import { type ChannelDeps, type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { html } from "../markup/html.ts";
import { splitText } from "../markup/long-text.ts";
import { markdown } from "../markup/markdown.ts";
import { markdownV2 } from "../markup/markdown-v2.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { apiUrl, apiUrlProblems, type PostAnswer, post, withoutSlash } from "../web-service.ts";

const SERVICE = "the Telegram server";
const MARKUPS = { HTML: html, Markdown: markdown, MarkdownV2: markdownV2 };
// Telegram allows 4096 UTF-16 units after parsing, and 32 KiB of UTF-8 before it.
const PART = { visible: 4096, source: 10_000 };
// Limits for one chat.
const PER_SECOND = 1;
const PER_MINUTE_IN_GROUP = 20;

const fields = {
  bot_token: Type.String({
    pattern: "^[0-9]+:[A-Za-z0-9_-]+$",
    problem: "must be the bot's token as Telegram's BotFather issued it, <digits>:<characters>",
    secret: true,
  }),
  chat_id: Type.String({
    pattern: "^-?[0-9]+$",
    problem: 'must be the numeric identifier in quotes, such as "-100123"',
  }),
  parse_mode: Type.Optional(Type.Union([Type.Literal("HTML"), Type.Literal("Markdown"), Type.Literal("MarkdownV2")])),
  api_url: apiUrl,
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const messagingBot = defineChannel({
  kind: "messaging_bot",
  service: "Telegram",
  fields,
  problems: ({ api_url }, at) => apiUrlProblems(api_url, at),
  open(config, deps) {
    const markup = config.parse_mode ? MARKUPS[config.parse_mode] : unmarked;
    const chat = openChat(config, markup, deps);
    return {
      name: config.name,
      kind: config.type,
      limits: {
        perSecond: PER_SECOND,
        concurrent: 1,
        ...(config.chat_id.startsWith("-") ? { perMinute: PER_MINUTE_IN_GROUP } : {}),
      },
      compose: markup.compose,
      async send(message, signal) {
        const parts = splitText(markup, textOf(message, markup, deps.houseTime), PART);
        let delivery: Delivery = { answer: "all parts arrived in an earlier try", parts: 0 };
        const notes = new Set<string>();
        for (let index = message.skipParts ?? 0; index < parts.length; index++) {
          delivery = await afterParts(index, async () => {
            if (delivery.parts > 0) await pause(deps.clock, signal);
            const part = { text: parts[index] ?? "", silent: isSilent(message) };
            const { note, ...arrived } = await chat.send(part, signal);
            if (note) notes.add(note);
            return { ...arrived, parts: delivery.parts + arrived.parts };
          });
        }
        return notes.size > 0 ? { ...delivery, note: [...notes].join("; ") } : delivery;
      },
    };
  },
  doc: "Telegram, or another server with its Bot API.",
  example: {
    name: "chat",
    bot_token: "123456789:a-token-of-the-bot",
    chat_id: "-1001234567890",
    parse_mode: "HTML",
  },
});

function isSilent({ silent, priority = 0 }: ChannelMessage): boolean {
  return silent ?? priority < 0;
}

/** A text as the bot sends it. */
interface Part {
  text: string;
  silent: boolean;
}

function textOf(
  { title, message, repeats, at, late }: ChannelMessage,
  markup: Markup,
  houseTime: (at: number) => string,
) {
  // Added at the end, so that the parts that arrived before it was late stay the same.
  const repeated = repeats ? ` ${markup.escape(repeats)}` : "";
  const lateness = late ? `\n\n${markup.escape(`(delivered late; this is from ${houseTime(at)})`)}` : "";
  return `${markup.bold(title)}\n${message}${repeated}${lateness}`;
}

async function pause(clock: ChannelDeps["clock"], signal: AbortSignal): Promise<void> {
  if (await sleep(clock, "notify-part", 1000 / PER_SECOND, signal)) return;
  throw new DeliveryError("the time was over before all parts were sent", { transient: true });
}

async function afterParts<T>(partsArrived: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeliveryError && partsArrived > 0) {
      throw new DeliveryError(`${error.message} (after ${partsArrived} parts)`, { ...error.fault, partsArrived });
    }
    throw error;
  }
}

function openChat(config: Config, markup: Markup, { fetch, clock, log }: ChannelDeps) {
  const url = `${withoutSlash(config.api_url ?? "https://api.telegram.org")}/bot${config.bot_token}/sendMessage`;
  let chatId = config.chat_id;

  async function call({ text, silent }: Part, parseMode: string | undefined, signal: AbortSignal): Promise<PostAnswer> {
    const body = JSON.stringify({
      ...{ chat_id: chatId, text },
      ...(parseMode && { parse_mode: parseMode }),
      ...(silent && { disable_notification: true }),
    });
    return post(fetch, { url, contentType: "application/json", body, service: SERVICE }, signal);
  }

  /** Calls, and once more when the group got another id. */
  async function callMoved(part: Part, parseMode: string | undefined, signal: AbortSignal): Promise<PostAnswer> {
    const answer = await call(part, parseMode, signal);
    const moved = migratedTo(answer);
    if (moved === undefined || moved === chatId) return answer;
    chatId = moved;
    log.warn("the group has another id now; change chat_id in the configuration", { chat_id: moved });
    return call(part, parseMode, signal);
  }

  async function sendPlain({ text, silent }: Part, refusal: string, signal: AbortSignal): Promise<Delivery> {
    log.warn("the markup was refused; the message is sent as plain text", { answer: refusal });
    const parts = splitText(unmarked, markup.plain(text), PART);
    let last: Delivery = { answer: "", parts: 0 };
    for (const [index, plain] of parts.entries()) {
      if (index > 0) await pause(clock, signal);
      last = deliveryOf(await callMoved({ text: plain, silent }, undefined, signal));
    }
    return { ...last, parts: parts.length, note: `sent as plain text, as the markup was refused: ${refusal}` };
  }

  async function sendPart(part: Part, signal: AbortSignal): Promise<Delivery> {
    const answer = await callMoved(part, config.parse_mode, signal);
    const unreadable = config.parse_mode !== undefined && statusOf(answer) === 400 && /entit/i.test(answer.words);
    return unreadable ? sendPlain(part, descriptionOf(answer), signal) : deliveryOf(answer);
  }

  return {
    async send(part: Part, signal: AbortSignal): Promise<Delivery> {
      const delivery = await sendPart(part, signal);
      if (chatId === config.chat_id) return delivery;
      const moved = `the group moved to ${chatId}; change chat_id`;
      return { ...delivery, note: delivery.note ? `${delivery.note}; ${moved}` : moved };
    },
  };
}

function migratedTo({ json }: PostAnswer): string | undefined {
  const to = isObject(json?.parameters) ? json.parameters.migrate_to_chat_id : undefined;
  return typeof to === "number" || typeof to === "string" ? String(to) : undefined;
}

/** Throws DeliveryError unless the server says that it accepted the message. */
function deliveryOf(answer: PostAnswer): Delivery {
  const { json, headers } = answer;
  const status = statusOf(answer);
  if (json?.ok === true) {
    const id = isObject(json.result) ? json.result.message_id : undefined;
    return { status, answer: id === undefined ? "ok" : `ok, message ${id}`, parts: 1 };
  }
  const words = descriptionOf(answer);
  const said = { status, answer: words };
  if (status === 429) {
    const asked = isObject(json?.parameters) ? Number(json.parameters.retry_after) : Number.NaN;
    const secs = [asked, Number(headers.get("retry-after"))].find((value) => value > 0) ?? 1;
    throw new DeliveryError(`too many messages, ${SERVICE} asks for a pause of ${secs} s: ${words}`, {
      ...said,
      transient: true,
      retryAfterMs: secs * 1000,
    });
  }
  if (status >= 500) {
    const fault = { ...said, transient: true, mayBeTheMessage: true };
    throw new DeliveryError(`${SERVICE} has an error: ${words}`, fault);
  }
  throw new DeliveryError(`${SERVICE} refused the message: ${words}`, {
    ...said,
    transient: false,
    ...hintFor(status, words),
  });
}

function hintFor(status: number, words: string): { hint?: string } {
  if (status === 401 || status === 404) return { hint: "Likely a wrong bot_token (or api_url)" };
  if (status === 403) return { hint: "The bot may not write there: it was blocked, removed or never started" };
  if (/chat not found|PEER_ID_INVALID/i.test(words)) {
    return {
      hint: "Likely a wrong chat_id; a person has to write to the bot first, a group must have it as a member",
    };
  }
  return status < 300 ? { hint: "Likely a wrong api_url: this is not an answer of the Telegram Bot API" } : {};
}

// Some compatible servers answer 200 and put the status inside.
function statusOf({ status, json }: PostAnswer): number {
  return json?.ok === false && typeof json.error_code === "number" ? json.error_code : status;
}

function descriptionOf({ json, words, status }: PostAnswer): string {
  return typeof json?.description === "string" ? json.description.slice(0, 300) : words || `status ${status}`;
}
