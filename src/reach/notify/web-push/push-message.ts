// What a browser gets of a message: JSON that the page's service worker shows, within the bytes of one push.
import { answerLinks } from "../answer-links.ts";
import type { ChannelMessage } from "../channel.ts";
import { shorten } from "../markup/long-text.ts";
import { fitted, isSilent, textOf } from "../plain-message.ts";
import { MAX_PLAIN_BYTES } from "./encryption.ts";

const MAX_TITLE = 120;
const MAX_TAG = 100;
const MAX_LINK = 1000;
const MAX_LABEL = 60;
/** Browsers show two buttons, of which one confirms. */
const MAX_ACTIONS = 1;

/** As src/page/worker/push.ts reads it. */
export interface PushMessage {
  title: string;
  body: string;
  /** One with the same tag takes its place. */
  tag: string;
  /** Epoch ms. */
  at: number;
  silent: boolean;
  /** It stays on the screen until somebody reacts. */
  stays: boolean;
  /** Confirms with a POST; a person sees a page with a GET. */
  confirm?: string;
  /** Buttons beside the one that confirms; `url` as `confirm`. */
  actions?: { label: string; url: string }[];
  notice?: string;
}

const EMERGENCY = 2;

export function pushMessage(message: ChannelMessage, houseTime: (at: number) => string): Uint8Array {
  const { title, tag, id, at, priority = 0, notice } = message;
  const [confirm, ...others] = answerLinks(message).filter(({ url }) => url.length <= MAX_LINK);
  const actions = others.slice(0, MAX_ACTIONS).map(({ label, url }) => ({ label: shorten(label, MAX_LABEL), url }));
  const rest: Omit<PushMessage, "body"> = {
    title: shorten(title.toWellFormed(), MAX_TITLE),
    tag: (tag ?? id).toWellFormed().slice(0, MAX_TAG),
    at,
    silent: isSilent(message),
    stays: priority >= EMERGENCY,
    ...(confirm && { confirm: confirm.url }),
    ...(actions.length > 0 && { actions }),
    ...(notice !== undefined && notice.length <= MAX_TAG && { notice }),
  };
  const withText = (limit: number): PushMessage => ({ ...rest, body: textOf(message, houseTime, limit) });
  const shown = fitted(withText, { limit: MAX_PLAIN_BYTES, bytes: MAX_PLAIN_BYTES });
  return new TextEncoder().encode(JSON.stringify(shown));
}

/** RFC 8030: how much it may cost the phone's battery. */
export function urgencyOf({ priority = 0 }: ChannelMessage): "very-low" | "low" | "normal" | "high" {
  if (priority > 0) return "high";
  if (priority === 0) return "normal";
  return priority === -1 ? "low" : "very-low";
}
