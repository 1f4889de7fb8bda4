// `push_app`: Pushover, or another server with its API.
import { type Static, Type } from "@sinclair/typebox";
import { isBlank } from "../../../kit/text/clean-text.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import { type ChannelMessage, type Delivery, DeliveryError, defineChannel, type Picture } from "../channel.ts";
import { formWithFile } from "../http/multipart.ts";
import {
  apiUrl,
  apiUrlProblems,
  type PostAnswer,
  type PostRequest,
  post,
  withoutSlash,
  wordsOf,
} from "../http/web-service.ts";
import { type Dialect, speaks } from "../markup/dialect.ts";
import { html } from "../markup/html.ts";
import { shorten } from "../markup/long-text.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { plain, pushoverHtml } from "../markup/plain-dialects.ts";
import { connectReceipts, receiptIn, tagOf } from "./pushover-receipts.ts";

const SERVICE = "the Pushover server";
const MAX_MESSAGE = 1024;
const MAX_TITLE = 250;
const MAX_LAST_TITLE = 60;
const MAX_URL = 512;
const EMERGENCY = 2;
// Pushover blocks addresses that open more connections, or try again sooner.
const CONNECTIONS = 2;
const RETRY_AFTER_MS = 5000;
const DEFAULT_PAUSE_MS = 3_600_000;
const MAX_QUOTA_MS = 32 * 24 * 3_600_000;

const fields = {
  api_key: Type.String({ minLength: 1, secret: true }),
  user_key: Type.String({ minLength: 1, secret: true }),
  device: Type.Optional(Type.String({ description: "Device name; all devices when it is missing or empty" })),
  sound: Type.Optional(Type.String()),
  priority: Type.Optional(Type.Integer({ minimum: -2, maximum: EMERGENCY })),
  retry_secs: Type.Integer({
    minimum: 30,
    maximum: 10_800,
    default: 60,
    description: "Emergencies: seconds between two sounds",
  }),
  expire_secs: Type.Integer({
    minimum: 30,
    maximum: 10_800,
    default: 3600,
    description: "Emergencies: seconds until the sounds stop",
  }),
  html: Type.Boolean({ default: false, description: "Whether messages may contain HTML tags" }),
  api_url: apiUrl,
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const pushApp = defineChannel({
  kind: "push_app",
  service: "Pushover",
  fields,
  problems: ({ api_url }, at) => apiUrlProblems(api_url, at),
  dialect: dialectOf,
  open(config, { fetch, clock, semaphores, log }) {
    const base = withoutSlash(config.api_url ?? "https://api.pushover.net");
    const dialect = dialectOf(config);
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: CONNECTIONS },
      ...speaks(dialect),
      async send(message, signal) {
        using _connection = await acquire(() => semaphores.acquire(`push_app ${base}`, CONNECTIONS, signal));
        const call = (body: ReturnType<typeof bodyOf>): Promise<PostAnswer> => {
          const request = { url: `${base}/1/messages.json`, ...body, service: SERVICE };
          return withPause(() => post(fetch, request, signal));
        };
        const notes: string[] = [];
        let form = formOf(config, message);
        let refusedText: string | undefined;
        let { picture } = message;
        let answer = await call(bodyOf(form, picture));
        if (picture && isAboutPicture(answer)) {
          notes.push(`sent without its picture, which was refused: ${answer.words}`);
          picture = undefined;
          answer = await call(bodyOf(form, picture));
        }
        const plainForm = isAboutText(answer) ? formOf({ ...config, html: false }, plainOf(message, dialect)) : form;
        if (plainForm !== form) {
          refusedText = errorsOf(answer);
          log.warn("the text was refused; the message is sent as plain text", { answer: refusedText });
          notes.push(`sent as plain text, as the text was refused: ${refusedText}`);
          form = plainForm;
          answer = await call(bodyOf(form, picture));
        }
        return {
          ...deliveryOf(answer, clock),
          ...receiptIn(answer.json, message),
          ...(notes.length > 0 && { note: notes.join("; ") }),
          ...(refusedText !== undefined && { refusedText }),
        };
      },
      ...connectReceipts(
        { base, token: config.api_key },
        { fetch, clock, log, check: (one) => deliveryOf(one, clock) },
      ),
    };
  },
  doc: "Pushover, or another server with its API.",
  example: { name: "phone", api_key: "the application's key", user_key: "the user's key", priority: 1 },
});

function dialectOf({ html }: Pick<Config, "html">): Dialect {
  return html ? pushoverHtml : plain;
}

function formOf(config: Config, message: ChannelMessage): string {
  const { api_key, user_key, device, sound, retry_secs, expire_secs } = config;
  const priority = priorityOf(config, message);
  const form = new URLSearchParams({
    token: api_key,
    user: user_key,
    title: shorten(message.title.toWellFormed(), MAX_TITLE),
    message: textOf(message, config.html ? html : unmarked).toWellFormed(),
    timestamp: String(Math.floor(message.at / 1000)),
    ...(device ? { device } : {}),
    ...(sound ? { sound } : {}),
    ...(config.html ? { html: "1" } : {}),
    ...(priority === undefined ? {} : { priority: String(priority) }),
    ...(priority === EMERGENCY ? { retry: String(retry_secs), expire: String(expire_secs), ...tagOf(message) } : {}),
    ...linkOf(message),
  });
  return form.toString();
}

/** Pushover shows one link, and no buttons: its page has all answers. A longer address would be refused, and the alarm with it. */
function linkOf({ acknowledgeUrl: url, actionLinks }: ChannelMessage): { url?: string; url_title?: string } {
  if (url === undefined || url.length > MAX_URL) return {};
  return { url, url_title: actionLinks ? "Answer" : "Confirm" };
}

/** A silent message makes no sound whatever its priority: -1. */
function priorityOf(config: Config, { priority = config.priority, silent }: ChannelMessage): number | undefined {
  return silent ? Math.min(-1, priority ?? 0) : priority;
}

function textOf({ title, message, repeats }: ChannelMessage, markup: Markup): string {
  // Pushover refuses a blank message.
  const text = isBlank(message) ? markup.escape(title) : message;
  const repeated = repeats ? ` ${markup.escape(repeats)}` : "";
  return shorten(text, MAX_MESSAGE - repeated.length, markup) + repeated;
}

/** The last try for a text that was refused. Half as long, as what counts as a character is the server's to say. */
function plainOf(message: ChannelMessage, { read }: Dialect): ChannelMessage {
  const title = shorten(message.title.toWellFormed(), MAX_LAST_TITLE);
  return { ...message, title, message: shorten(plain.write(read(message.message)), MAX_MESSAGE / 2) };
}

/** Pushover names the field that it refuses. */
function isAboutText({ status, json }: PostAnswer): boolean {
  if (status === 413) return true;
  if (status < 400 || status >= 500 || status === 429 || json === undefined) return false;
  const names = ["token", "user", "device", "sound", "priority", "retry", "expire", "attachment"];
  if (names.some((name) => json[name] !== undefined)) return false;
  return (
    json.message !== undefined ||
    json.title !== undefined ||
    /message|title|html|text|utf-?8|encod/i.test(String(json.errors))
  );
}

function errorsOf({ json, words, status }: PostAnswer): string {
  return Array.isArray(json?.errors) ? wordsOf(json.errors.join("; ")) : words || `status ${status}`;
}

async function acquire(work: () => Promise<Disposable>): Promise<Disposable> {
  try {
    return await work();
  } catch {
    const message = `other messages to ${SERVICE} took too long`;
    throw new DeliveryError(message, { transient: true, retryAfterMs: RETRY_AFTER_MS });
  }
}

async function withPause(work: () => Promise<PostAnswer>): Promise<PostAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    throw new DeliveryError(error.message, { ...error.fault, retryAfterMs: RETRY_AFTER_MS });
  }
}

/** Throws DeliveryError unless the server says that it accepted the message. */
function deliveryOf(given: PostAnswer, clock: Clock): Delivery {
  const { status, json, headers } = given;
  if (status < 300 && json?.status === 1) {
    const receipt = typeof json.receipt === "string" ? `, receipt ${json.receipt.slice(0, 64)}` : "";
    return { status, answer: `status 1, request ${wordsOf(String(json.request ?? "none"))}${receipt}`, parts: 1 };
  }
  const answer = errorsOf(given);
  const said = { status, answer };
  if (status >= 500) {
    const fault = { ...said, transient: true, retryAfterMs: RETRY_AFTER_MS, mayBeTheMessage: true };
    throw new DeliveryError(`${SERVICE} has an error: ${answer}`, fault);
  }
  if (status === 429) throw tooMany(said, pauseAskedFor(headers, clock));
  throw new DeliveryError(`${SERVICE} refused the message: ${answer}`, { ...said, transient: false, ...hintFor(json) });
}

// Most likely the monthly quota. Asking again before it is renewed is pointless, and Pushover blocks addresses that do.
function tooMany(said: { status: number; answer: string }, pause: { ms: number; until?: string }): DeliveryError {
  const { ms, until } = pause;
  return new DeliveryError(`${SERVICE} accepts no more messages${until ? ` until ${until}` : ""}: ${said.answer}`, {
    ...said,
    transient: true,
    retryAfterMs: ms,
    hint: "Likely the monthly quota of Pushover is used up; it can be raised there",
  });
}

/** What the server asks for; an hour when it says nothing usable. */
function pauseAskedFor(headers: Headers, clock: Clock): { ms: number; until?: string } {
  const asked = Number(headers.get("retry-after")) * 1000;
  if (asked > 0) return { ms: asked };
  const renewed = Number(headers.get("x-limit-app-reset")) * 1000;
  const ms = renewed - clock.now();
  return ms > 0 && ms < MAX_QUOTA_MS ? { ms, until: isoSeconds(renewed) } : { ms: DEFAULT_PAUSE_MS };
}

function hintFor(json: PostAnswer["json"]): { hint?: string } {
  if (json?.token === "invalid") return { hint: "Likely a wrong api_key" };
  if (json?.user === "invalid") return { hint: "Likely a wrong user_key or device" };
  return json === undefined ? { hint: "Likely a wrong api_url: this is not an answer of the Pushover API" } : {};
}

/** `form` is the message, url-encoded; its picture becomes an attachment. */
function bodyOf(form: string, picture: Picture | undefined): Pick<PostRequest, "contentType" | "body"> {
  if (!picture) return { contentType: "application/x-www-form-urlencoded", body: form };
  const fields = [...new URLSearchParams(form)].map(([name, value]) => ({ name, value }));
  return formWithFile(fields, { ...picture, as: "attachment" });
}

/** Whether the same without its picture might be accepted. */
function isAboutPicture({ status, json }: PostAnswer): boolean {
  if (status === 413) return true;
  if (status < 400 || status >= 500 || status === 429) return false;
  return json?.attachment !== undefined || /attachment|image/i.test(String(json?.errors));
}
