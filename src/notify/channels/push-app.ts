// `push_app`: Pushover, or a server that speaks its API.
import { type Static, Type } from "@sinclair/typebox";
import { type Clock, isoSeconds } from "../../core/clock.ts";
import { apiUrl, apiUrlProblems, withoutSlash } from "../api-url.ts";
import { type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { html } from "../markup/html.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { shorten } from "../markup/shorten.ts";
import { type PostAnswer, post, wordsOf } from "../post.ts";

const SERVICE = "the push service";
const LONGEST_MESSAGE = 1024;
const LONGEST_TITLE = 250;
const EMERGENCY = 2;
// More connections or quicker repetition get the address blocked.
const CONNECTIONS = 2;
const RETRY_AFTER_MS = 5000;
const SILENCE_MS = 3_600_000;
const LONGEST_QUOTA_MS = 32 * 24 * 3_600_000;

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
  open(config, { fetch, clock, gates }) {
    const base = withoutSlash(config.api_url ?? "https://api.pushover.net");
    const markup = config.html ? html : unmarked;
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: CONNECTIONS },
      compose: markup.compose,
      async send(message, signal) {
        using _place = await enter(() => gates.enter(`push_app ${base}`, CONNECTIONS, signal));
        const request = {
          url: `${base}/1/messages.json`,
          contentType: "application/x-www-form-urlencoded",
          body: formOf(config, markup, message),
          service: SERVICE,
        };
        return deliveryOf(await unhurried(() => post(fetch, request, signal)), clock);
      },
    };
  },
  doc: "Pushover, or another server with its API.",
  example: { name: "phone", api_key: "the application's key", user_key: "the user's key", priority: 1 },
});

function formOf(config: Config, markup: Markup, message: ChannelMessage): string {
  const { api_key, user_key, device, sound, priority, retry_secs, expire_secs } = config;
  const form = new URLSearchParams({
    token: api_key,
    user: user_key,
    title: shorten(message.title, LONGEST_TITLE),
    message: textOf(message, markup),
    timestamp: String(Math.floor(message.at / 1000)),
    ...(device ? { device } : {}),
    ...(sound ? { sound } : {}),
    ...(config.html ? { html: "1" } : {}),
    ...(priority === undefined ? {} : { priority: String(priority) }),
    ...(priority === EMERGENCY ? { retry: String(retry_secs), expire: String(expire_secs) } : {}),
  });
  return form.toString();
}

function textOf({ title, message, tally }: ChannelMessage, markup: Markup): string {
  // A blank message would be refused.
  const text = message.trim() === "" ? markup.escape(title) : message;
  const again = tally ? ` ${markup.escape(tally)}` : "";
  return shorten(text, LONGEST_MESSAGE - again.length, markup) + again;
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
function deliveryOf({ status, json, headers, words }: PostAnswer, clock: Clock): Delivery {
  if (status < 300 && json?.status === 1) {
    const receipt = typeof json.receipt === "string" ? `, receipt ${json.receipt.slice(0, 64)}` : "";
    return { status, answer: `status 1, request ${wordsOf(String(json.request ?? "none"))}${receipt}`, parts: 1 };
  }
  const answer = Array.isArray(json?.errors) ? wordsOf(json.errors.join("; ")) : words || `status ${status}`;
  const told = { status, answer };
  if (status >= 500) {
    const fault = { ...told, passing: true, retryAfterMs: RETRY_AFTER_MS, mayBeTheMessage: true };
    throw new DeliveryError(`${SERVICE} is in trouble: ${answer}`, fault);
  }
  if (status === 429) throw tooMany(told, silenceOf(headers, clock));
  throw new DeliveryError(`${SERVICE} refused the message: ${answer}`, { ...told, passing: false, ...hintFor(json) });
}

// Most likely the month's quota. Asking again before it is renewed is pointless, and repeated refusals get the address blocked.
function tooMany(told: { status: number; answer: string }, silence: { ms: number; until?: string }): DeliveryError {
  const { ms, until } = silence;
  return new DeliveryError(`${SERVICE} takes no more messages${until ? ` until ${until}` : ""}: ${told.answer}`, {
    ...told,
    passing: true,
    retryAfterMs: ms,
    hint: "Likely the push service's monthly quota is used up; it can be raised there",
  });
}

/** What the service asks for; an hour where it says nothing that makes sense. */
function silenceOf(headers: Headers, clock: Clock): { ms: number; until?: string } {
  const asked = Number(headers.get("retry-after")) * 1000;
  if (asked > 0) return { ms: asked };
  const renewed = Number(headers.get("x-limit-app-reset")) * 1000;
  const ms = renewed - clock.now();
  return ms > 0 && ms < LONGEST_QUOTA_MS ? { ms, until: isoSeconds(renewed) } : { ms: SILENCE_MS };
}

function hintFor(json: PostAnswer["json"]): { hint?: string } {
  if (json?.token === "invalid") return { hint: "Likely a wrong api_key" };
  if (json?.user === "invalid") return { hint: "Likely a wrong user_key or device" };
  return json === undefined ? { hint: "Likely a wrong api_url: this is no push service's answer" } : {};
}
