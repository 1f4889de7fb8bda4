// Sends one encrypted message to one browser's push service: RFC 8030.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { answerLinks } from "../answer-links.ts";
import type { ChannelMessage } from "../channel.ts";
import { refusalOf } from "../http/web-failure.ts";
import { call } from "../http/web-service.ts";
import { shorten } from "../markup/long-text.ts";
import { fitted, isSilent, textOf } from "../plain-message.ts";
import { encrypt, MAX_PLAIN_BYTES, type ReceiverKeys } from "./encryption.ts";
import type { Subscription } from "./subscriptions.ts";
import { type VapidKey, vapidHeader } from "./vapid.ts";

export interface PushSenderDeps {
  fetch: typeof fetch;
  clock: Clock;
  random: RandomBytes;
  key: () => VapidKey;
  contact: string;
}

export interface Push {
  plain: Uint8Array;
  urgency: string;
  /** Seconds for which the service keeps it for a browser that is off. */
  ttl: number;
}

const TOKEN_MS = 12 * 3_600_000;
const RENEWED_MS = 3_600_000;
const MAX_TOKENS = 50;
const SERVICE = "the push service";
const WRONG_KEY = "Check the hub's clock and `contact`; else switch the messages of that device off and on again";
const EMERGENCY = 2;
const MAX_TITLE = 120;
const MAX_TAG = 100;
const MAX_LINK = 1000;
const MAX_LABEL = 60;
/** Browsers show two buttons, of which one confirms. */
const MAX_ACTIONS = 1;

/** Resolves with the status, or "gone" where the browser does not want messages any more. Rejects with a DeliveryError. */
export function createPushSender({ fetch, clock, random, key, contact }: PushSenderDeps) {
  const tokens = new Map<string, { header: string; expiresAt: number }>();

  function authorization(origin: string): string {
    const known = tokens.get(origin);
    if (known && known.expiresAt > clock.now() + RENEWED_MS && known.expiresAt <= clock.now() + TOKEN_MS)
      return known.header;
    const expiresAt = clock.now() + TOKEN_MS;
    const header = vapidHeader(key(), { origin, contact, expiresAt });
    if (tokens.size >= MAX_TOKENS) tokens.clear();
    tokens.set(origin, { header, expiresAt });
    return header;
  }

  /** Undefined for a browser's key that is no point of the curve, which a damaged database may have. */
  function encrypted(plain: Uint8Array, keys: ReceiverKeys): Uint8Array<ArrayBuffer> | undefined {
    try {
      return new Uint8Array(encrypt(plain, keys, random));
    } catch {
      return undefined;
    }
  }

  return async function push({ endpoint, ...keys }: Subscription, { plain, urgency, ttl }: Push, signal: AbortSignal) {
    const { origin, host } = new URL(endpoint);
    const body = encrypted(plain, keys);
    if (!body) return "gone";
    const headers = {
      authorization: authorization(origin),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(ttl),
      urgency,
    };
    const request = { method: "POST" as const, url: endpoint, headers, body, service: `${SERVICE} ${host}` };
    const answer = await call(fetch, { ...request, addressKey: "endpoint" }, signal);
    const { status } = answer;
    if (status === 404 || status === 410) return "gone";
    if (status >= 200 && status < 300) return status;
    const hint = status === 401 || status === 403 ? WRONG_KEY : undefined;
    throw refusalOf(answer, { service: `${SERVICE} ${host}`, clock, hint });
  };
}

/** As src/page/worker/push.ts reads it. */
interface PushMessage {
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

/** JSON that the page's service worker shows, within the bytes of one push. */
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
