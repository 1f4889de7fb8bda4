// What people answer to a bot, and write to it: one chat of it for each channel. Chats that are in no channel get no answer.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import type { ChannelDeps, Inbox, Reply, Sender } from "../channel.ts";
import type { Bot, Parameters } from "./telegram-bot.ts";
import { pressedIn, replyKeyboard } from "./telegram-messages.ts";
import type { MovedChat } from "./telegram-moved.ts";
import { chatOf, createPoller, type Poller } from "./telegram-poller.ts";

export interface ListenedChat {
  readonly chat_id: string;
  readonly moved: Pick<MovedChat, "to">;
  /** Whether what people write is passed on, too. */
  readonly commands?: boolean;
  readonly inbox: Inbox;
  readonly bot: Bot;
}

const ANSWER_WITHIN_MS = 15_000;
const MAX_REPLY = 4000;
/** The Bot API refuses longer answers to a press. */
const MAX_NOTE = 200;
const MAX_TEXT = 1000;

/** All chats of one bot share one poller: the Bot API gives each answer to one connection. */
export function listenToChat(chat: ListenedChat, deps: ChannelDeps): AsyncDisposable {
  const { bot } = chat;
  const poller = deps.shared.get<Poller>(bot.key, () => createPoller(bot, deps));
  return poller.attach({
    texts: chat.commands === true,
    isIn: (id) => id === chat.chat_id || id === chat.moved.to(),
    receive: (update, signal) => receive(update, chat, { ...deps, signal }),
    reportProblem: chat.inbox.reportProblem,
  });
}

interface AnswerDeps extends Pick<ChannelDeps, "clock" | "log"> {
  readonly signal: AbortSignal;
}

/** Resolves when the answer is on disk; showing it is done beside. */
async function receive(update: JsonObject, chat: ListenedChat, answerDeps: AnswerDeps): Promise<void> {
  const { callback_query: query, message } = update;
  if (isObject(query)) await press(query, chat, answerDeps);
  else if (isObject(message) && chat.commands && typeof message.text === "string") {
    const text = message.text.slice(0, MAX_TEXT);
    background(
      answerDeps.log,
      "a command",
      answerText(text, senderOf(message, chatOf(update) ?? chat.chat_id), { chat, answerDeps }),
    );
  }
}

async function press(query: JsonObject, chat: ListenedChat, answerDeps: AnswerDeps): Promise<void> {
  const pressed = pressedIn(query.data);
  const from = senderOf(query, chatOf({ callback_query: query }) ?? chat.chat_id);
  if (pressed && "command" in pressed) {
    if (!chat.commands) return;
    background(answerDeps.log, "a command", answerText(pressed.command, from, { chat, answerDeps }));
    return show(query, "", { chat, answerDeps });
  }
  if (!pressed) return show(query, "", { chat, answerDeps });
  const words = await chat.inbox.answered({ ...pressed, by: from.name });
  show(query, words, { chat, answerDeps });
}

interface Answering {
  readonly chat: ListenedChat;
  readonly answerDeps: AnswerDeps;
}

/** Ends the waiting mark of the button. The answer counts whether or not this arrives. */
function show(query: JsonObject, words: string, { chat, answerDeps }: Answering): void {
  const parameters = { callback_query_id: String(query.id), text: words.slice(0, MAX_NOTE).toWellFormed() };
  background(answerDeps.log, "an answer to a press", call("answerCallbackQuery", parameters, { chat, answerDeps }));
}

async function answerText(text: string, from: Sender, { chat, answerDeps }: Answering): Promise<void> {
  const reply = await chat.inbox.written(text, from);
  if (reply) await call("sendMessage", replyOf(from.chat, reply), { chat, answerDeps });
}

function replyOf(chat: string, reply: Reply): Parameters {
  const keyboard = replyKeyboard(reply);
  const text = reply.text.slice(0, MAX_REPLY).toWellFormed() || "…";
  return { chat_id: chat, text, ...(keyboard && { reply_markup: keyboard }) };
}

async function call(method: string, parameters: Parameters, { chat, answerDeps }: Answering): Promise<void> {
  const timeout = new AbortController();
  using _timer = answerDeps.clock.after("telegram-answer", ANSWER_WITHIN_MS, () => timeout.abort());
  await chat.bot.call(method, parameters, AbortSignal.any([answerDeps.signal, timeout.signal]));
}

function senderOf({ from }: JsonObject, chat: string): Sender {
  const { first_name, last_name, username } = isObject(from) ? from : {};
  const name = [first_name, last_name].filter((part) => typeof part === "string" && part !== "").join(" ");
  return { chat, name: name || (typeof username === "string" ? username : "somebody") };
}
