// Messages of a bot that can be answered and changed: the buttons under them, and the names under which they are found again.
import { isObject } from "../../core/json.ts";
import { ACKNOWLEDGE, type ChannelMessage, type Reply } from "../channel.ts";

/** An inline keyboard, as the Bot API takes it. */
export interface Keyboard {
  readonly inline_keyboard: readonly (readonly Button[])[];
}

interface Button {
  readonly text: string;
  /** At most 64 bytes. */
  readonly callback_data: string;
}

/** What a press says: the answer to a notice, or a command of a reply. */
export type Pressed = { readonly notice: string; readonly action: string } | { readonly command: string };

const CONFIRM = "✅ Confirm";
const LARGEST_DATA_BYTES = 64;
const LONGEST_LABEL = 60;
const ANSWER = "n";
const COMMAND = "c";

/** Undefined for a message that nobody can answer. */
export function keyboardOf({ notice, answerable, actions = [] }: ChannelMessage): Keyboard | undefined {
  if (notice === undefined || !answerable) return undefined;
  const all = [...actions, { id: ACKNOWLEDGE, label: CONFIRM }];
  return rowsOf(all.map(({ id, label }) => ({ text: label, callback_data: `${ANSWER}:${notice}:${id}` })));
}

/** The buttons of a reply, each of which is written back as a command. */
export function replyKeyboard({ actions = [] }: Reply): Keyboard | undefined {
  return rowsOf(actions.map(({ id, label }) => ({ text: label, callback_data: `${COMMAND}:${id}` })));
}

function rowsOf(buttons: readonly Button[]): Keyboard | undefined {
  const rows = buttons
    .filter(({ callback_data }) => Buffer.byteLength(callback_data) <= LARGEST_DATA_BYTES)
    .map(({ text, callback_data }) => [{ text: text.slice(0, LONGEST_LABEL).toWellFormed(), callback_data }]);
  return rows.length > 0 ? { inline_keyboard: rows } : undefined;
}

/** Undefined for buttons that are not the hub's. */
export function pressedIn(data: unknown): Pressed | undefined {
  if (typeof data !== "string") return undefined;
  const [kind, first = "", ...rest] = data.split(":");
  if (kind === COMMAND) return { command: data.slice(COMMAND.length + 1) };
  return kind === ANSWER && rest.length > 0 ? { notice: first, action: rest.join(":") } : undefined;
}

/** Where a message is: its chat, the messages that it takes, and whether the text stands under a picture. */
export interface Place {
  readonly chat: string;
  readonly ids: readonly number[];
  readonly caption: boolean;
}

/** The name of a message that the server has just sent, as `Delivery.remote`. */
export function remoteIn(result: unknown): { remote?: string } {
  if (!isObject(result) || !isObject(result.chat) || typeof result.message_id !== "number") return {};
  return { remote: `${result.chat.id}/${result.message_id}${typeof result.caption === "string" ? "c" : ""}` };
}

/** One name for the parts of a long text. */
export function joinRemotes(remotes: readonly string[]): { remote?: string } {
  const [first] = remotes;
  if (first === undefined) return {};
  const [chat] = first.split("/");
  return { remote: `${chat}/${remotes.map((remote) => remote.slice(remote.indexOf("/") + 1)).join(",")}` };
}

export function placeOf(remote: string): Place {
  const [chat = "", ids = ""] = remote.split("/");
  return {
    chat,
    ids: ids.split(",").flatMap((id) => (Number.parseInt(id, 10) > 0 ? [Number.parseInt(id, 10)] : [])),
    caption: ids.endsWith("c"),
  };
}
