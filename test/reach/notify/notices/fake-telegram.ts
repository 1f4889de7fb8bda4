// A Telegram of the test's own: bots, chats with their messages, buttons that are pressed, long polling with Telegram's rules.
import type { JsonObject } from "../../../../src/kit/schema/json.ts";

export interface ChatMessage {
  id: number;
  chat: string;
  text: string;
  /** What its buttons send, by what they say. */
  buttons: Record<string, string>;
  /** Then the text is its caption. */
  photo: boolean;
  edits: number;
  deleted: boolean;
}

export interface Person {
  id: number;
  first_name: string;
}

export interface FakeTelegram extends Disposable {
  readonly url: string;
  readonly messages: ChatMessage[];
  /** The texts of a chat that are still there. */
  texts(chat: string): string[];
  last(chat: string): ChatMessage | undefined;
  /** Somebody presses a button; of a message of this chat unless said otherwise. */
  press(message: ChatMessage, label: string, from: Person, chat?: string): number;
  /** Somebody writes to the bot. */
  write(chat: string, text: string, from: Person): number;
  /** What the hub said to who pressed, by the id of the update. */
  readonly answers: Map<number, string>;
  /** Calls of a method so far. */
  calls(method: string): number;
  /** What becomes of the next calls of a method: a status, or no answer at all. */
  react(method: string, reaction: Reaction | undefined): void;
  /** As if a webhook were set. */
  webhook: boolean;
  /** A group gets another id: what is sent to the former one is refused, and reports it. */
  migrate(chat: string, to: string): void;
  /** Long polls that are open now. */
  readonly polling: number;
}

export type Reaction = { status: number; retryAfter?: number } | "hang";

// After parsing, in UTF-16 units.
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;

function lengthOf(html: string): number {
  return html.replace(/<[^>]*>/g, "").replace(/&\w+;/g, "x").length;
}

export function serveTelegram(): FakeTelegram {
  const messages: ChatMessage[] = [];
  const updates: JsonObject[] = [];
  const answers = new Map<number, string>();
  const counts = new Map<string, number>();
  const reactions = new Map<string, Reaction>();
  const migrated = new Map<string, string>();
  let nextMessage = 100;
  let nextUpdate = 5000;
  let poll: { end: (answer: Response) => void } | undefined;

  const ok = (result: unknown): Response => Response.json({ ok: true, result });
  const refuse = (error_code: number, description: string, parameters?: object): Response =>
    Response.json({ ok: false, error_code, description, ...(parameters && { parameters }) }, { status: error_code });

  function buttonsOf(markup: unknown): Record<string, string> {
    const rows = (markup as { inline_keyboard?: { text: string; callback_data: string }[][] } | undefined)
      ?.inline_keyboard;
    return Object.fromEntries((rows ?? []).flat().map(({ text, callback_data }) => [text, callback_data]));
  }

  function found(body: JsonObject): ChatMessage | undefined {
    return messages.find(
      ({ id, chat, deleted }) => id === body.message_id && chat === String(body.chat_id) && !deleted,
    );
  }

  function send(body: JsonObject, text: unknown, photo: boolean): Response {
    const to = migrated.get(String(body.chat_id));
    if (to !== undefined)
      return refuse(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: Number(to),
      });
    const one: ChatMessage = {
      ...{ id: nextMessage++, chat: String(body.chat_id), text: String(text), edits: 0, deleted: false, photo },
      buttons: buttonsOf(body.reply_markup),
    };
    messages.push(one);
    return ok(shown(one));
  }

  function edit(body: JsonObject, text: unknown, photo: boolean): Response {
    const one = found(body);
    if (!one) return refuse(400, "Bad Request: message to edit not found");
    if (one.photo !== photo)
      return refuse(400, `Bad Request: there is no ${photo ? "caption" : "text"} in the message to edit`);
    if (lengthOf(String(text)) > (photo ? MAX_CAPTION : MAX_TEXT))
      return refuse(400, `Bad Request: ${photo ? "MEDIA_CAPTION_TOO_LONG" : "MESSAGE_TOO_LONG"}`);
    const buttons = buttonsOf(body.reply_markup);
    if (one.text === text && JSON.stringify(buttons) === JSON.stringify(one.buttons))
      return refuse(400, "Bad Request: message is not modified");
    Object.assign(one, { text: String(text), buttons, edits: one.edits + 1 });
    return ok(shown(one));
  }

  const methods: Record<string, (body: JsonObject, signal: AbortSignal) => Response | Promise<Response>> = {
    sendMessage: (body) => send(body, body.text, false),
    sendPhoto: (body) => send(body, body.caption, true),
    editMessageText: (body) => edit(body, body.text, false),
    editMessageCaption: (body) => edit(body, body.caption, true),
    deleteMessage(body) {
      const one = found(body);
      if (!one) return refuse(400, "Bad Request: message to delete not found");
      one.deleted = true;
      return ok(true);
    },
    answerCallbackQuery(body) {
      answers.set(Number(body.callback_query_id), String(body.text));
      return ok(true);
    },
    getUpdates(body, signal) {
      if (telegram.webhook)
        return refuse(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first");
      if (body.offset !== undefined)
        while (updates.length > 0 && Number(updates[0]?.update_id) < Number(body.offset)) updates.shift();
      if (updates.length > 0) return ok(updates.slice(0, Number(body.limit)));
      poll?.end(
        refuse(
          409,
          "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        ),
      );
      const { promise, resolve } = Promise.withResolvers<Response>();
      const mine = { end: resolve };
      poll = mine;
      const leave = (): void => {
        if (poll === mine) poll = undefined;
        resolve(ok([]));
      };
      signal.addEventListener("abort", leave);
      return promise;
    },
  };

  function add(update: JsonObject): number {
    const update_id = nextUpdate++;
    updates.push({ update_id, ...update });
    poll?.end(ok(updates.slice(0, 1)));
    poll = undefined;
    return update_id;
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const method = new URL(request.url).pathname.split("/").at(-1) ?? "";
      const body = await bodyOf(request);
      counts.set(method, (counts.get(method) ?? 0) + 1);
      const reaction = reactions.get(method);
      if (reaction === "hang") return new Promise<never>(() => {});
      if (reaction) {
        const { status, retryAfter } = reaction;
        return refuse(status, "no", retryAfter === undefined ? undefined : { retry_after: retryAfter });
      }
      return methods[method]?.(body, request.signal) ?? refuse(404, "Not Found: method not found");
    },
  });

  const telegram: FakeTelegram = {
    url: `http://127.0.0.1:${server.port}`,
    ...{ messages, answers, webhook: false },
    get polling() {
      return poll ? 1 : 0;
    },
    texts: (chat) => messages.filter((one) => one.chat === chat && !one.deleted).map(({ text }) => text),
    last: (chat) => messages.findLast((one) => one.chat === chat && !one.deleted),
    press(message, label, from, chat = message.chat) {
      const data = message.buttons[label];
      if (data === undefined) throw new Error(`no button "${label}" under ${JSON.stringify(message)}`);
      const about = { message_id: message.id, chat: { id: Number(chat) }, text: message.text };
      return add({ callback_query: { id: String(nextUpdate), from: { ...from }, message: about, data } });
    },
    write: (chat, text, from) =>
      add({ message: { message_id: nextMessage++, from: { ...from }, chat: { id: Number(chat) }, text } }),
    migrate: (chat, to) => void migrated.set(chat, to),
    calls: (method) => counts.get(method) ?? 0,
    react(method, reaction) {
      if (reaction) reactions.set(method, reaction);
      else reactions.delete(method);
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
  return telegram;
}

function shown({ id, chat, text, photo }: ChatMessage): JsonObject {
  return { message_id: id, chat: { id: Number(chat) }, ...(photo ? { caption: text, photo: [] } : { text }) };
}

/** Files are sent as a form, in which what is no text is JSON. */
async function bodyOf(request: Request): Promise<JsonObject> {
  if (!request.headers.get("content-type")?.startsWith("multipart/")) return (await request.json()) as JsonObject;
  const form = await request.formData();
  const texts = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts.map(([key, text]) => [key, key === "reply_markup" ? JSON.parse(text) : text]));
}
