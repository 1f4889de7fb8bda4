// What is left to try of a message that a service refused: without its picture, then with its text plain and short. Services differ
// in what they refuse, and an alarm is not lost for its text.
import type { Log } from "../../kit/lifecycle/log.ts";
import { type ChannelMessage, type Delivery, DeliveryError } from "./channel.ts";
import type { Dialect } from "./markup/dialect.ts";
import { shorten } from "./markup/long-text.ts";
import { plain } from "./markup/plain-dialects.ts";

export interface LastTry {
  readonly log: Log;
  /** Rejects with a DeliveryError. */
  readonly send: (message: ChannelMessage) => Promise<Delivery>;
  /** Whether another text or picture might be accepted; by the HTTP status when absent. */
  readonly isAboutContent?: (error: DeliveryError) => boolean;
}

export interface PlainTry extends LastTry {
  readonly dialect: Pick<Dialect, "read">;
  /** Characters of the text; 1000 when absent. */
  readonly longest?: number;
  /** Sends what is plain text and short. */
  readonly sendPlain: (message: ChannelMessage) => Promise<Delivery>;
  /** `sendPlain` makes another message also of a text that is plain and short already. */
  readonly always?: boolean;
}

const CONTENT_STATUSES = new Set([400, 413, 414, 415, 422, 431]);
const MAX_TEXT = 1000;
const MAX_TITLE = 100;

/** Sends it, and once more as plain text if it is refused. Rejects as `send`. */
export async function sendOrPlain(message: ChannelMessage, trying: PlainTry): Promise<Delivery> {
  const { log, send, sendPlain, dialect, longest = MAX_TEXT, always = false } = trying;
  try {
    return await send(message);
  } catch (error) {
    const simple = plainly(message, { dialect, longest });
    if (!isAboutContent(error, trying) || (!always && isSame(simple, message))) throw error;
    const words = wordsOf(error);
    const delivery = await sendPlain(simple);
    log.warn("the text was refused; the message is sent as plain text", { answer: words });
    return { ...withNote(delivery, `sent as plain text, as the text was refused: ${words}`), refusedText: words };
  }
}

/** Sends it, and once more without its picture if it is refused. Rejects as `send`. */
export async function sendOrWithoutPicture(message: ChannelMessage, trying: LastTry): Promise<Delivery> {
  try {
    return await trying.send(message);
  } catch (error) {
    const { picture, ...rest } = message;
    if (!picture || !isAboutContent(error, trying)) throw error;
    const delivery = await trying.send(rest);
    const refused = `sent without its picture, which was refused: ${wordsOf(error)}`;
    trying.log.warn("a picture was refused; the message is sent without it", { answer: wordsOf(error) });
    return withNote(delivery, refused);
  }
}

function plainly(
  { html: _, ...message }: ChannelMessage,
  { dialect, longest }: Required<Pick<PlainTry, "dialect" | "longest">>,
): ChannelMessage {
  const title = shorten(message.title.toWellFormed(), MAX_TITLE);
  return { ...message, title, message: shorten(plain.write(dialect.read(message.message)), longest) };
}

// The same once more would be refused once more.
function isSame(one: ChannelMessage, other: ChannelMessage): boolean {
  return one.title === other.title && one.message === other.message && other.html === undefined;
}

function isAboutContent(error: unknown, { isAboutContent: asked }: LastTry): error is DeliveryError {
  if (!(error instanceof DeliveryError) || error.fault.transient) return false;
  return asked ? asked(error) : CONTENT_STATUSES.has(error.fault.status ?? 0);
}

function wordsOf({ fault, message }: DeliveryError): string {
  return fault.answer ?? message;
}

function withNote(delivery: Delivery, note: string): Delivery {
  return { ...delivery, note: delivery.note === undefined ? note : `${delivery.note}; ${note}` };
}
