// Sends one encrypted message to one browser's push service: RFC 8030.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { refusalOf } from "../web-failure.ts";
import { call } from "../web-service.ts";
import { encrypt, type ReceiverKeys } from "./encryption.ts";
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

const WRONG_KEY = "Check the hub's clock and `contact`; else switch the messages of that device off and on again";
