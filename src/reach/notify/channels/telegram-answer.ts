// What a server with the Bot API answered: the message as it arrived there, or why not and what to do about it.
import { isObject } from "../../../kit/schema/json.ts";
import { type Delivery, DeliveryError } from "../channel.ts";
import type { PostAnswer } from "../http/web-service.ts";
import { remoteIn } from "./telegram-messages.ts";

export const SERVICE = "the Telegram server";

/** The new id of a group that got another one. */
export function migratedTo({ json }: PostAnswer): string | undefined {
  const to = isObject(json?.parameters) ? json.parameters.migrate_to_chat_id : undefined;
  return typeof to === "number" || typeof to === "string" ? String(to) : undefined;
}

/** Throws DeliveryError unless the server says that it accepted the message. */
export function deliveryOf(answer: PostAnswer): Delivery {
  const { json, headers } = answer;
  const status = statusOf(answer);
  if (json?.ok === true) {
    const id = isObject(json.result) ? json.result.message_id : undefined;
    return { status, answer: id === undefined ? "ok" : `ok, message ${id}`, parts: 1, ...remoteIn(json.result) };
  }
  const words = descriptionOf(answer);
  const said = { status, answer: words };
  if (status === 429) {
    const asked = isObject(json?.parameters) ? Number(json.parameters.retry_after) : Number.NaN;
    const secs = [asked, Number(headers.get("retry-after"))].find((value) => value > 0) ?? 1;
    throw new DeliveryError(`too many messages, ${SERVICE} asks for a pause of ${secs} s: ${words}`, {
      ...said,
      transient: true,
      retryAfterMs: secs * 1000,
    });
  }
  if (status >= 500) {
    const fault = { ...said, transient: true, mayBeTheMessage: true };
    throw new DeliveryError(`${SERVICE} has an error: ${words}`, fault);
  }
  throw new DeliveryError(`${SERVICE} refused the message: ${words}`, {
    ...said,
    transient: false,
    ...hintFor(status, words),
  });
}

function hintFor(status: number, words: string): { hint?: string } {
  if (status === 401 || status === 404) return { hint: "Likely a wrong bot_token (or api_url)" };
  if (status === 403) return { hint: "The bot may not write there: it was blocked, removed or never started" };
  if (/chat not found|PEER_ID_INVALID/i.test(words)) {
    return {
      hint: "Likely a wrong chat_id; a person has to write to the bot first, a group must have it as a member",
    };
  }
  return status < 300 ? { hint: "Likely a wrong api_url: this is not an answer of the Telegram Bot API" } : {};
}

// Some compatible servers answer 200 and put the status inside.
export function statusOf({ status, json }: PostAnswer): number {
  return json?.ok === false && typeof json.error_code === "number" ? json.error_code : status;
}

export function descriptionOf({ json, words, status }: PostAnswer): string {
  return typeof json?.description === "string" ? json.description.slice(0, 300) : words || `status ${status}`;
}
