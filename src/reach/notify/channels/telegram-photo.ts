// Messages of `messaging_bot` with a picture: a photo with the text as its caption, or with the title where the text is too long
// for one, and then the text in messages of its own.
import type { ChannelMessage, Picture } from "../channel.ts";
import { splitText } from "../markup/long-text.ts";
import type { Markup } from "../markup/markup.ts";
import { formWithFile } from "../multipart.ts";
import type { PostRequest } from "../web-service.ts";
import { CAPTION } from "./telegram-text.ts";

/** One message of several. Without text, nothing is sent in its place. */
export interface Slot {
  readonly text: string;
  readonly picture?: Picture | undefined;
  /** It has the title alone, and the text follows. */
  readonly heading?: true;
}

/** `texts` is the whole message. The places stay the same when the picture is gone at a later try. */
export function slotsOf({ title, image, picture }: ChannelMessage, texts: readonly string[], markup: Markup): Slot[] {
  const [first = ""] = texts;
  if (image === undefined && !picture) return texts.map((text) => ({ text }));
  if (texts.length === 1 && splitText(markup, first, CAPTION).length === 1) return [{ text: first, picture }];
  return [
    { text: picture ? markup.bold(title.slice(0, 200)) : "", picture, heading: true },
    ...texts.map((text) => ({ text })),
  ];
}

/** `sendUrl` is that of sendMessage, and `fields` what it gets. */
export function requestOf(
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
export function mayBeThePicture({ status = 0 }: { status?: number }): boolean {
  return status === 400 || status === 413 || status >= 500;
}
