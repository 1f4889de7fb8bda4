// Messages of a bot that can be answered and changed: the buttons under them, and the names under which they are found again.
import { isObject } from "../../../kit/schema/json.ts";
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
const MAX_DATA_BYTES = 64;
const MAX_LABEL = 60;
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
    .filter(({ callback_data }) => Buffer.byteLength(callback_data) <= MAX_DATA_BYTES)
    .map(({ text, callback_data }) => [{ text: text.slice(0, MAX_LABEL).toWellFormed(), callback_data }]);
  return rows.length > 0 ? { inline_keyboard: rows } : undefined;
}

/** Undefined for buttons that are not the hub's. */
export function pressedIn(data: unknown): Pressed | undefined {
  if (typeof data !== "string") return undefined;
  const [kind, first = "", ...rest] = data.split(":");
  if (kind === COMMAND) return { command: data.slice(COMMAND.length + 1) };
  return kind === ANSWER && rest.length > 0 ? { notice: first, action: rest.join(":") } : undefined;
}

/** Where a message is: its chat, and the messages that it takes. */
export interface Place {
  readonly chat: string;
  readonly messages: readonly PlacedMessage[];
}

export interface PlacedMessage {
  /** Undefined for a part that arrived in an earlier try, whose name is not known any more. */
  readonly id: number | undefined;
  /** The text stands under a picture. */
  readonly caption: boolean;
  /** It has the title alone, above the text. */
  readonly heading: boolean;
}

/** The name of a message that the server has just sent, as `Delivery.remote`. */
export function remoteIn(result: unknown): { remote?: string } {
  if (!isObject(result) || !isObject(result.chat) || typeof result.message_id !== "number") return {};
  return { remote: `${result.chat.id}/${result.message_id}${typeof result.caption === "string" ? "c" : ""}` };
}

const NOT_KNOWN = "-";
const HEADING = "h";

/** A part of a long text; null for one that arrived in an earlier try, whose name is not known any more. */
export type SentPart = { readonly remote: string; readonly heading: boolean } | null;

/** One name for the messages of a long text, in their order. Without a name when none is known. */
export function joinRemotes(sent: readonly SentPart[]): { remote?: string } {
  const first = sent.find((one) => one !== null);
  if (!first) return {};
  const [chat] = first.remote.split("/");
  const ids = sent.map((one) =>
    one ? one.remote.slice(one.remote.indexOf("/") + 1) + (one.heading ? HEADING : "") : NOT_KNOWN,
  );
  return { remote: `${chat}/${ids.join(",")}` };
}

export function placeOf(remote: string): Place {
  const [chat = "", names = ""] = remote.split("/");
  const all = names.split(",");
  const messages = all.flatMap((name, index): PlacedMessage[] => {
    const [, digits, kind = ""] = /^(\d+|-)([a-z]*)$/.exec(name) ?? [];
    if (digits === undefined) return [];
    const caption = kind.includes("c");
    // Names that older versions wrote do not say that a text follows.
    const heading = kind.includes(HEADING) || (caption && index === 0 && all.length > 1);
    return [{ id: digits === NOT_KNOWN ? undefined : Number(digits), caption, heading }];
  });
  return { chat, messages };
}
