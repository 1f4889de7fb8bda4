// `webhook`: one HTTP request to any address, such as that of Gotify, Apprise, Slack or Home Assistant.
import { createHmac } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/schema/schema.ts";
import { type ChannelDeps, type ChannelMessage, type Delivery, defineChannel } from "../channel.ts";
import { guardedFetch } from "../http/guarded-fetch.ts";
import { type FormField, formWithFile } from "../http/multipart.ts";
import { refusalOf } from "../http/web-failure.ts";
import { apiUrlProblems, call, isLoopback } from "../http/web-service.ts";
import { sendOrPlain, sendOrWithoutPicture } from "../last-try.ts";
import { speaks } from "../markup/dialect.ts";
import { plain } from "../markup/plain-dialects.ts";
import { messageJson } from "../message-json.ts";
import { CONTENT_TYPES, type ContentType, filled, templateProblem, type Values, valuesOf } from "./webhook-template.ts";

const SERVICE = "the webhook";
const NAMES_ITSELF = "Set allow_local = true if it is meant for a service on this machine";
/** Set by the channel or by the connection itself. */
const OWN_HEADERS = new Set("host content-length content-type transfer-encoding connection".split(" "));

const fields = {
  url: Type.String({
    pattern: "^https?://[^/@?#\\s{}]+(/[^@?#\\s{}]*)?(\\?[^#\\s]*)?$",
    problem:
      "must be an address such as https://gotify.example/message, without user or fragment; placeholders only behind a ?",
    secret: true,
  }),
  method: Type.Union([Type.Literal("POST"), Type.Literal("PUT"), Type.Literal("PATCH"), Type.Literal("GET")], {
    default: "POST",
  }),
  headers: Type.Array(
    Type.Object(
      {
        name: Type.String({
          pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$",
          problem: "must be the name of a header, such as X-Gotify-Key",
        }),
        value: Type.String({
          pattern: "^[\\t\\x20-\\x7e\\xa0-\\xff]{0,4000}$",
          problem: "must be one line",
          secret: true,
        }),
      },
      { additionalProperties: false },
    ),
    { default: [], maxItems: 20, description: "Sent with each message, such as a key" },
  ),
  content_type: Type.Union(
    CONTENT_TYPES.map((type) => Type.Literal(type)),
    { default: "application/json" },
  ),
  body: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: "Instead of the hub's own JSON; {{title}}, {{message}} and others stand for the message's parts",
    }),
  ),
  image: Type.Optional(
    Type.Union([Type.Literal("base64"), Type.Literal("multipart")], {
      description: "How a picture goes with it: inside the body, or as a file beside it; without it, not at all",
    }),
  ),
  signing_secret: Type.Optional(
    Type.String({ minLength: 16, secret: true, description: "Signs each request, so that the receiver can trust it" }),
  ),
  success: Type.String({
    default: "200-299",
    pattern: "^[2-5]\\d\\d(-[2-5]\\d\\d)?(, ?[2-5]\\d\\d(-[2-5]\\d\\d)?)*$",
    problem: "must be statuses such as 200-299 or 200,204",
    description: "Statuses that mean it was accepted",
  }),
  allow_local: Type.Boolean({ default: false, description: "Whether it may go to this machine itself" }),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const webhook = defineChannel({
  kind: "webhook",
  service: "Webhook",
  fields,
  problems: webhookProblems,
  open(config, deps) {
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 2 },
      ...speaks(plain),
      send(message, signal) {
        const { log } = deps;
        const once = (one: ChannelMessage) => sendTo(config, deps, one, signal);
        const send = (one: ChannelMessage) => sendOrPlain(one, { log, dialect: plain, send: once, sendPlain: once });
        return sendOrWithoutPicture(message, { log, send });
      },
    };
  },
  doc: "One HTTP request to an address of your choice.",
  example: {
    name: "gotify",
    url: "https://gotify.home.example/message",
    headers: [{ name: "X-Gotify-Key", value: "the application's token" }],
    body: '{"title": "{{title}}", "message": "{{message}}", "priority": {{priority}}}',
  },
});

async function sendTo(
  config: Config,
  { fetch, clock, houseTime }: ChannelDeps,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<Delivery> {
  const reach = guardedFetch(fetch, { reach: "house", hint: NAMES_ITSELF });
  const values = valuesOf(message, config, houseTime);
  const sent = config.method === "GET" ? undefined : webhookBody(config, message, { values, houseTime });
  const answer = await call(
    config.allow_local ? fetch : reach,
    {
      method: config.method,
      url: filled(config.url, values, "application/x-www-form-urlencoded"),
      headers: {
        ...Object.fromEntries(config.headers.map(({ name, value }) => [name, value])),
        ...(sent && { "content-type": sent.contentType }),
        "webhook-id": message.id,
        ...signatureOf({ secret: config.signing_secret, id: message.id, at: clock.now(), body: sent?.body }),
      },
      ...(sent && { body: sent.body }),
      service: SERVICE,
      addressKey: "url",
    },
    signal,
  );
  const { status, words } = answer;
  if (isWanted(config.success, status)) return { status, answer: words || `status ${status}`, parts: 1 };
  throw refusalOf(answer, { service: SERVICE, clock, hint: hintFor(status) });
}

function isWanted(success: string, status: number): boolean {
  return success.split(",").some((range) => {
    const [from, to = from] = range.split("-").map(Number);
    return from !== undefined && to !== undefined && status >= from && status <= to;
  });
}

function hintFor(status: number): string | undefined {
  if (status === 401 || status === 403) return "Likely a wrong key in url or headers";
  if (status === 404 || status === 405) return "Likely a wrong url or method";
  if (status === 400 || status === 415 || status === 422) return "Likely a body or content_type that it does not take";
  return status < 400 ? "Statuses that mean success are named by `success`" : undefined;
}

function webhookProblems(config: Config, at: string): Problem[] {
  const { url, headers, body, image, method, content_type } = config;
  const host = URL.parse(url)?.hostname ?? "";
  const own = headers.findIndex(({ name }) => OWN_HEADERS.has(name.toLowerCase()));
  const wrongBody = body === undefined ? undefined : templateProblem(body, content_type);
  const wrongQuery = templateProblem(url, "text/plain");
  const found: (Problem | false)[] = [
    host === "" && { path: `${at}.url`, message: "is no address" },
    isLoopback(host) && !config.allow_local && { path: `${at}.url`, message: `leads to this machine. ${NAMES_ITSELF}` },
    wrongQuery !== undefined && { path: `${at}.url`, message: wrongQuery },
    own >= 0 && { path: `${at}.headers[${own}].name`, message: "is set by the hub: use content_type, or leave it out" },
    wrongBody !== undefined && { path: `${at}.body`, message: wrongBody },
    method === "GET" && (body ?? image) !== undefined && { path: `${at}.method`, message: "GET has no body: use POST" },
    body === undefined &&
      content_type !== "application/json" &&
      method !== "GET" && {
        path: `${at}.content_type`,
        message: "the hub's own body is JSON: give a body, too",
      },
  ];
  return [...found.filter((problem) => problem !== false), ...apiUrlProblems(url, at, "url")];
}

interface Signed {
  /** `whsec_` and base64, or any text. Without it nothing is signed. */
  secret: string | undefined;
  id: string;
  /** Epoch ms of this try. */
  at: number;
  body: Uint8Array | undefined;
}

/**
 * The headers by which a receiver knows that it is the hub's and new: as https://www.standardwebhooks.com has it, and as GitHub does, which
 * most receivers can check.
 */
function signatureOf({ secret, id, at, body = new Uint8Array() }: Signed): Record<string, string> {
  if (secret === undefined) return {};
  const timestamp = String(Math.floor(at / 1000));
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return {
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}

interface BodySettings {
  body?: string | undefined;
  content_type: ContentType;
  image?: "base64" | "multipart" | undefined;
}

interface WebhookBody {
  body: Uint8Array<ArrayBuffer>;
  contentType: string;
}

/** What a webhook sends: the hub's own JSON or the template of the configuration, alone or with the picture as a file beside it. */
function webhookBody(
  settings: BodySettings,
  message: ChannelMessage,
  { values, houseTime }: { values: Values; houseTime: (at: number) => string },
): WebhookBody {
  const { body, content_type, image } = settings;
  const ownJson = () => JSON.stringify(messageJson(message, houseTime, { picture: image === "base64" }));
  const text = body === undefined ? ownJson() : filled(body, values, content_type);
  const { picture } = message;
  if (image !== "multipart" || !picture)
    return {
      body: new TextEncoder().encode(text),
      contentType: content_type === "application/json" ? content_type : `${content_type}; charset=utf-8`,
    };
  return formWithFile(fieldsOf(text, content_type), { ...picture, as: "file" });
}

/** A form is sent as its fields, and any other body as the field in which Discord looks for it. */
function fieldsOf(text: string, type: ContentType): FormField[] {
  if (type !== "application/x-www-form-urlencoded") return [{ name: "payload_json", type, value: text }];
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}
