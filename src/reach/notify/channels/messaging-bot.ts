// `messaging_bot`: Telegram, or another server with its Bot API.
import { type Static, Type } from "@sinclair/typebox";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import {
  type ChannelDeps,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  defineChannel,
  type Picture,
} from "../channel.ts";
import { formWithFile } from "../http/multipart.ts";
import { apiUrl, apiUrlProblems, type PostAnswer, type PostRequest, post, withoutSlash } from "../http/web-service.ts";
import { type Dialect, speaks } from "../markup/dialect.ts";
import { html } from "../markup/html.ts";
import { splitText } from "../markup/long-text.ts";
import { markdown } from "../markup/markdown.ts";
import { markdownV2 } from "../markup/markdown-v2.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { plain } from "../markup/plain-dialects.ts";
import { telegramDialects } from "../markup/telegram-dialects.ts";
import { deliveryOf, descriptionOf, migratedTo, SERVICE, statusOf } from "./telegram-answer.ts";
import { connectBot } from "./telegram-bot.ts";
import { joinRemotes, type Keyboard, keyboardOf, type SentPart } from "./telegram-messages.ts";
import { type MovedChat, openMovedChat } from "./telegram-moved.ts";
import { CAPTION, isAboutButtons, isAboutText, isTooLong, partsOf, plainPartsOf } from "./telegram-text.ts";
import { listenToChat } from "./telegram-updates.ts";

const MARKUPS = { HTML: html, Markdown: markdown, MarkdownV2: markdownV2 };
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
  commands: Type.Optional(
    Type.Boolean({
      description: "Whether what people write in the chat is done: `/status`, `/devices`, `/scene NAME`, `/run NAME`",
    }),
  ),
  user: Type.Optional(Type.String({ minLength: 1, description: "The user of the hub whose rights commands have" })),
  api_url: apiUrl,
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const messagingBot = defineChannel({
  kind: "messaging_bot",
  service: "Telegram",
  fields,
  problems: ({ api_url, commands, user }, at) => [
    ...apiUrlProblems(api_url, at),
    ...(commands && user === undefined
      ? [{ path: `${at}.user`, message: "missing: `commands` needs the name of the user whose rights they have" }]
      : []),
  ],
  dialect: dialectOf,
  open(config, deps) {
    const markup = config.parse_mode ? MARKUPS[config.parse_mode] : unmarked;
    const dialect = dialectOf(config);
    const moved = openMovedChat(config, deps);
    const chat = openChat(config, { ...deps, dialect, moved });
    const bot = connectBot(config, { fetch: deps.fetch, check: deliveryOf });
    return {
      name: config.name,
      kind: config.type,
      limits: {
        perSecond: PER_SECOND,
        concurrent: 1,
        ...(config.chat_id.startsWith("-") ? { perMinute: PER_MINUTE_IN_GROUP } : {}),
      },
      ...speaks(dialect),
      async send(message, signal) {
        const slots = slotsOf(message, partsOf(message, markup, deps.houseTime), markup);
        let delivery: Delivery = { answer: "all parts arrived in an earlier try", parts: 0 };
        const notes = new Set<string>();
        const { skipParts = 0 } = message;
        const sent = slots.slice(0, skipParts).flatMap(({ heading }): SentPart[] => (heading ? [] : [null]));
        for (let index = skipParts; index < slots.length; index++) {
          const slot = slots[index];
          if (!slot?.text) continue;
          delivery = await afterParts(index, async () => {
            if (delivery.parts > 0) await betweenParts(message, deps.clock, signal);
            const keyboard = index === slots.length - 1 ? keyboardOf(message) : undefined;
            const part = { ...slot, silent: isSilent(message), keyboard };
            const { note, remote, ...arrived } = await chat.send(part, signal);
            if (note) notes.add(note);
            sent.push(remote === undefined ? null : { remote, heading: slot.heading === true });
            return { ...arrived, parts: delivery.parts + arrived.parts };
          });
        }
        const named = message.notice === undefined ? delivery : { ...delivery, ...joinRemotes(sent) };
        return notes.size > 0 ? { ...named, note: [...notes].join("; ") } : named;
      },
      change: (remote, message, signal) =>
        bot.change(
          remote,
          {
            parts: (most, { caption }) =>
              partsOf(message, markup, deps.houseTime, caption ? { most, size: CAPTION } : { most }),
            ...{
              parseMode: config.parse_mode,
              keyboard: keyboardOf(message),
              plain: (part: string) => plainPartsOf(part, dialect, { short: true })[0] ?? "…",
            },
          },
          signal,
        ),
      remove: bot.remove,
      listensAlways: config.commands === true,
      listen: (inbox) => listenToChat({ ...config, inbox, bot, moved }, deps),
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

function dialectOf({ parse_mode }: Pick<Config, "parse_mode">): Dialect {
  return parse_mode ? telegramDialects[parse_mode] : plain;
}

/** A text as the bot sends it. */
interface Part {
  text: string;
  silent: boolean;
  /** Then the text is its caption. */
  picture?: Picture | undefined;
  /** The buttons under it. */
  keyboard?: Keyboard | undefined;
}

async function betweenParts({ yieldsNow }: ChannelMessage, clock: Clock, signal: AbortSignal): Promise<void> {
  await pause(clock, signal);
  if (yieldsNow?.()) throw new DeliveryError("another message goes first", { transient: true, yielded: true });
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
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

interface ChatDeps extends Pick<ChannelDeps, "fetch" | "clock" | "log"> {
  dialect: Dialect;
  moved: MovedChat;
}

function openChat(config: Config, { fetch, clock, log, dialect, moved }: ChatDeps) {
  const url = `${withoutSlash(config.api_url ?? "https://api.telegram.org")}/bot${config.bot_token}/sendMessage`;
  let chatId = config.chat_id;

  async function call(
    { text, silent, picture, keyboard }: Part,
    parseMode: string | undefined,
    signal: AbortSignal,
  ): Promise<PostAnswer> {
    const fields = {
      ...{ chat_id: chatId, text },
      ...(parseMode && { parse_mode: parseMode }),
      ...(silent && { disable_notification: true }),
      ...(keyboard && { reply_markup: keyboard }),
    };
    return post(fetch, { ...requestOf(url, fields, picture), service: SERVICE }, signal);
  }

  /** Calls, and once more when the group got another id. */
  async function callMoved(part: Part, parseMode: string | undefined, signal: AbortSignal): Promise<PostAnswer> {
    const answer = await call(part, parseMode, signal);
    const to = migratedTo(answer);
    if (to === undefined || to === chatId) return answer;
    chatId = to;
    moved.moveTo(to);
    log.warn("the group has another id now; change chat_id in the configuration", { chat_id: to });
    return call(part, parseMode, signal);
  }

  /** The last try for a text that was refused. */
  async function sendPlain(
    { silent, picture, keyboard }: Part,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Delivery> {
    let last: Delivery = { answer: "", parts: 0 };
    for (const [index, text] of texts.entries()) {
      if (index > 0) await pause(clock, signal);
      const own = {
        picture: index === 0 ? picture : undefined,
        keyboard: index === texts.length - 1 ? keyboard : undefined,
      };
      const part = { text, silent, ...own };
      last = deliveryOf(await callMoved(part, undefined, signal));
    }
    return { ...last, parts: texts.length };
  }

  async function sendPart(part: Part, signal: AbortSignal): Promise<Delivery> {
    const answer = await callMoved(part, config.parse_mode, signal);
    const status = statusOf(answer);
    if (!isAboutText(status, answer.words)) return deliveryOf(answer);
    const texts = plainPartsOf(part.text, dialect, { short: isTooLong(status, answer.words) });
    // The same once more would be refused once more.
    if (config.parse_mode === undefined && texts.length === 1 && texts[0] === part.text.trim())
      return deliveryOf(answer);
    const refusal = descriptionOf(answer);
    const what = /entit/i.test(answer.words) ? "markup" : "text";
    log.warn(`the ${what} was refused; the message is sent as plain text`, { answer: refusal });
    const delivery = await sendPlain(part, texts, signal);
    return { ...delivery, note: `sent as plain text, as the ${what} was refused: ${refusal}`, refusedText: refusal };
  }

  /** Nor does it fail for its buttons. */
  async function sendAnswerable(part: Part, signal: AbortSignal): Promise<Delivery> {
    try {
      return await sendPart(part, signal);
    } catch (error) {
      if (!part.keyboard || !(error instanceof DeliveryError) || !isAboutButtons(error.fault)) throw error;
      const delivery = await sendPart({ ...part, keyboard: undefined }, signal);
      const refused = `sent without its buttons, which were refused: ${error.fault.answer}`;
      log.warn("buttons were refused; the message is sent without them", { answer: error.fault.answer });
      return { ...delivery, note: delivery.note ? `${delivery.note}; ${refused}` : refused };
    }
  }

  /** A message never fails for its picture. */
  async function sendShown(part: Part, signal: AbortSignal): Promise<Delivery> {
    try {
      return await sendAnswerable(part, signal);
    } catch (error) {
      if (!part.picture || !(error instanceof DeliveryError) || !mayBeThePicture(error.fault)) throw error;
      const delivery = await sendAnswerable({ ...part, picture: undefined }, signal);
      const refused = `sent without its picture, which was refused: ${error.fault.answer}`;
      log.warn("a picture was refused; the message is sent without it", { answer: error.fault.answer });
      return { ...delivery, note: delivery.note ? `${delivery.note}; ${refused}` : refused };
    }
  }

  return {
    async send(part: Part, signal: AbortSignal): Promise<Delivery> {
      const delivery = await sendShown(part, signal);
      if (chatId === config.chat_id) return delivery;
      const note = `the group moved to ${chatId}; change chat_id`;
      return { ...delivery, note: delivery.note ? `${delivery.note}; ${note}` : note };
    },
  };
}

/**
 * One message of several: a picture has the text as its caption, or the title where the text is too long for one, and then comes the text
 * in messages of its own. Without text, nothing is sent in its place.
 */
interface Slot {
  readonly text: string;
  readonly picture?: Picture | undefined;
  /** It has the title alone, and the text follows. */
  readonly heading?: true;
}

/** `texts` is the whole message. The places stay the same when the picture is gone at a later try. */
function slotsOf({ title, image, picture }: ChannelMessage, texts: readonly string[], markup: Markup): Slot[] {
  const [first = ""] = texts;
  if (image === undefined && !picture) return texts.map((text) => ({ text }));
  if (texts.length === 1 && splitText(markup, first, CAPTION).length === 1) return [{ text: first, picture }];
  return [
    { text: picture ? markup.bold(title.slice(0, 200)) : "", picture, heading: true },
    ...texts.map((text) => ({ text })),
  ];
}

/** `sendUrl` is that of sendMessage, and `fields` what it gets. */
function requestOf(
  sendUrl: string,
  { text, ...fields }: Readonly<Record<string, unknown>>,
  picture: Picture | undefined,
): Pick<PostRequest, "url" | "contentType" | "body"> {
  if (!picture) return { url: sendUrl, contentType: "application/json", body: JSON.stringify({ ...fields, text }) };
  const moves = picture.type === "image/gif";
  const texts = Object.entries({ ...fields, caption: text }).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
  return {
    url: sendUrl.replace(/sendMessage$/, moves ? "sendAnimation" : "sendPhoto"),
    ...formWithFile(texts, { ...picture, as: moves ? "animation" : "photo" }),
  };
}

/** Whether the same without its picture might be accepted. */
function mayBeThePicture({ status = 0 }: { status?: number }): boolean {
  return status === 400 || status === 413 || status >= 500;
}
