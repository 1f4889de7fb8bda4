// Calls of the Bot API beyond sending: changing messages and taking them back, asking for what people answer.
import { type Delivery, DeliveryError } from "../channel.ts";
import { type PostAnswer, post, withoutSlash } from "../http/web-service.ts";
import { type Keyboard, placeOf } from "./telegram-messages.ts";
import { isAboutNewText } from "./telegram-text.ts";

export interface BotDeps {
  readonly fetch: typeof fetch;
  /** Throws DeliveryError unless the server says that it did what it was asked. */
  readonly check: (answer: PostAnswer) => Delivery;
}

/** Of a call; sent as JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface Bot {
  /** Of the bot and its server: channels with the same one share what they ask for. */
  readonly key: string;
  /** The result. Throws DeliveryError. */
  call(method: string, parameters: Parameters, signal: AbortSignal): Promise<unknown>;
  change(remote: string, text: ChangedText, signal: AbortSignal): Promise<Delivery>;
  remove(remote: string, signal: AbortSignal): Promise<void>;
}

export interface ChangedText {
  /** The text in so many parts at most, as a long one is sent, or in one that fits under a picture. */
  readonly parts: (messages: number, where: { caption: boolean }) => readonly string[];
  readonly parseMode: string | undefined;
  readonly keyboard: Keyboard | undefined;
  /** What any server takes of a part. */
  readonly plain: (part: string) => string;
}

const SERVICE = "the Telegram server";

export function connectBot(config: { bot_token: string; api_url?: string }, { fetch, check }: BotDeps): Bot {
  const base = `${withoutSlash(config.api_url ?? "https://api.telegram.org")}/bot${config.bot_token}`;

  async function ask(method: string, parameters: Parameters, signal: AbortSignal): Promise<PostAnswer> {
    const body = JSON.stringify(parameters);
    const request = { url: `${base}/${method}`, contentType: "application/json", body, service: SERVICE };
    const answer = await post(fetch, request, signal);
    check(answer);
    return answer;
  }

  async function edit(parameters: Parameters, caption: boolean, signal: AbortSignal): Promise<void> {
    const { text, ...rest } = parameters;
    const [method, given] = caption
      ? ["editMessageCaption", { ...rest, caption: text ?? "" }]
      : ["editMessageText", parameters];
    try {
      await ask(method, given, signal);
    } catch (error) {
      if (!/message is not modified/i.test(said(error))) throw error;
    }
  }

  return {
    key: `telegram ${base}`,
    call: async (method, parameters, signal) => (await ask(method, parameters, signal)).json?.result,
    async change(remote, { parts, parseMode, keyboard, plain }, signal) {
      const { chat, messages } = placeOf(remote);
      const shown = messages.filter(({ heading }) => !heading);
      const texts = parts(shown.length, { caption: shown.length === 1 && shown[0]?.caption === true });
      for (const [index, { id, caption }] of shown.entries()) {
        const last = index === shown.length - 1;
        if (id === undefined) continue;
        // A text that became shorter leaves messages over.
        const text = texts[index] ?? "…";
        const message = { chat_id: chat, message_id: id, ...(last && keyboard && { reply_markup: keyboard }) };
        try {
          await edit({ ...message, text, ...(parseMode && { parse_mode: parseMode }) }, caption, signal);
        } catch (error) {
          if (!(error instanceof DeliveryError) || !isAboutNewText(error.fault.status ?? 0, said(error))) throw error;
          await edit({ ...message, text: plain(text) }, caption, signal);
        }
      }
      return { answer: "ok", parts: shown.length, remote };
    },
    async remove(remote, signal) {
      const { chat, messages } = placeOf(remote);
      for (const { id } of messages) {
        if (id === undefined) continue;
        try {
          await ask("deleteMessage", { chat_id: chat, message_id: id }, signal);
        } catch (error) {
          if (!/message to delete not found/i.test(said(error))) throw error;
        }
      }
    },
  };
}

/** What the server said in words. */
function said(error: unknown): string {
  return error instanceof DeliveryError ? (error.fault.answer ?? "") : "";
}
