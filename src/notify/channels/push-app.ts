// `push_app`: Pushover, or a server that speaks its API.
import { type Static, Type } from "@sinclair/typebox";
import { isoSeconds } from "../../core/clock.ts";
import { apiUrl, apiUrlProblems, withoutSlash } from "../api-url.ts";
import { type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { html } from "../markup/html.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { shorten, shortenMarkup } from "../markup/shorten.ts";
import { type PostAnswer, post, wordsOf } from "../post.ts";

const SERVICE = "the push service";
const LONGEST_MESSAGE = 1024;
const LONGEST_TITLE = 250;
const EMERGENCY = 2;
// More connections or quicker repetition get the address blocked.
const CONNECTIONS = 2;
const RETRY_AFTER_MS = 5000;

const fields = {
  api_key: Type.String({ minLength: 1, secret: true }),
  user_key: Type.String({ minLength: 1, secret: true }),
  device: Type.Optional(Type.String({ description: "Device name; all devices where it is left out or empty" })),
  sound: Type.Optional(Type.String()),
  priority: Type.Optional(Type.Integer({ minimum: -2, maximum: EMERGENCY })),
  retry_secs: Type.Integer({ minimum: 30, maximum: 10_800, default: 60, description: "Emergencies: sounds so often" }),
  expire_secs: Type.Integer({ minimum: 30, maximum: 10_800, default: 3600, description: "Emergencies: for so long" }),
  html: Type.Boolean({ default: false, description: "Whether messages may hold HTML tags" }),
  api_url: apiUrl,
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const pushApp = defineChannel({
  kind: "push_app",
  fields,
  problems: ({ api_url }, at) => apiUrlProblems(api_url, at),
  open(config, { fetch, gates }) {
    const base = withoutSlash(config.api_url ?? "https://api.pushover.net");
    const markup = config.html ? html : unmarked;
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: CONNECTIONS },
      escape: markup.escape,
      compose: markup.compose,
      async send(message, signal) {
        using _place = await enter(() => gates.enter(`push_app ${base}`, CONNECTIONS, signal));
        const request = {
          url: `${base}/1/messages.json`,
          contentType: "application/x-www-form-urlencoded",
          body: formOf(config, markup, message),
          service: SERVICE,
        };
        return deliveryOf(await unhurried(() => post(fetch, request, signal)));
      },
    };
  },
});

function formOf(config: Config, markup: Markup, { title, message, at }: ChannelMessage): string {
  const { api_key, user_key, device, sound, priority, retry_secs, expire_secs } = config;
  const form = new URLSearchParams({
    token: api_key,
    user: user_key,
    title: shorten(title, LONGEST_TITLE),
    // A blank message would be refused.
    message: message.trim() === "" ? shorten(title, LONGEST_TITLE) : shortenMarkup(markup, message, LONGEST_MESSAGE),
    timestamp: String(Math.floor(at / 1000)),
    ...(device ? { device } : {}),
    ...(sound ? { sound } : {}),
    ...(config.html ? { html: "1" } : {}),
    ...(priority === undefined ? {} : { priority: String(priority) }),
    ...(priority === EMERGENCY ? { retry: String(retry_secs), expire: String(expire_secs) } : {}),
  });
  return form.toString();
}

async function enter(work: () => Promise<Disposable>): Promise<Disposable> {
  try {
    return await work();
  } catch {
    const message = `other messages to ${SERVICE} did not end in time`;
    throw new DeliveryError(message, { passing: true, retryAfterMs: RETRY_AFTER_MS });
  }
}

async function unhurried(work: () => Promise<PostAnswer>): Promise<PostAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    throw new DeliveryError(error.message, { ...error.fault, retryAfterMs: RETRY_AFTER_MS });
  }
}

/** Throws DeliveryError unless the service says that it took the message. */
function deliveryOf({ status, json, headers, words }: PostAnswer): Delivery {
  if (status < 300 && json?.status === 1) {
    const receipt = typeof json.receipt === "string" ? `, receipt ${json.receipt.slice(0, 64)}` : "";
    return { status, answer: `status 1, request ${wordsOf(String(json.request ?? "none"))}${receipt}`, parts: 1 };
  }
  const answer = Array.isArray(json?.errors) ? wordsOf(json.errors.join("; ")) : words || `status ${status}`;
  const told = { status, answer };
  if (status >= 500) {
    const fault = { ...told, passing: true, retryAfterMs: RETRY_AFTER_MS };
    throw new DeliveryError(`${SERVICE} is in trouble: ${answer}`, fault);
  }
  if (status === 429) throw overQuota(told, Number(headers.get("x-limit-app-reset")));
  throw new DeliveryError(`${SERVICE} refused the message: ${answer}`, { ...told, passing: false, ...hintFor(json) });
}

// The quota is the month's. Asking again before it is renewed is pointless, and repeated refusals get the address blocked.
function overQuota(told: { status: number; answer: string }, resetSecs: number): DeliveryError {
  const until = resetSecs > 0 && resetSecs < 1e11 ? ` until ${isoSeconds(resetSecs * 1000)}` : "";
  return new DeliveryError(`the month's messages are used up${until}: ${told.answer}`, {
    ...told,
    passing: false,
    hint: "The push service's monthly quota is used up; it can be raised there",
  });
}

function hintFor(json: PostAnswer["json"]): { hint?: string } {
  if (json?.token === "invalid") return { hint: "Likely a wrong api_key" };
  if (json?.user === "invalid") return { hint: "Likely a wrong user_key or device" };
  return json === undefined ? { hint: "Likely a wrong api_url: this is no push service's answer" } : {};
}
