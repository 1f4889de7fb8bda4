// `ntfy`: ntfy.sh, or an ntfy server of one's own.
import { type Static, Type } from "@sinclair/typebox";
import { type ChannelDeps, type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { sendOrPlain } from "../last-try.ts";
import { type Dialect, speaks } from "../markup/dialect.ts";
import { commonMarkdown, plain } from "../markup/plain-dialects.ts";
import { type NtfyMessage, type NtfySettings, ntfyForm, ntfyHeaders } from "../ntfy-message.ts";
import { refusalOf } from "../web-failure.ts";
import { apiUrlProblems, call, HEADER_SAFE, type PostAnswer, type WebRequest, withoutSlash } from "../web-service.ts";

const SERVICE = "the ntfy server";

const fields = {
  server: Type.String({
    default: "https://ntfy.sh",
    pattern: "^https?://[^/@?#\\s]+(/[^@?#\\s]*)?$",
    problem: "must be an address such as https://ntfy.sh, without user, query or fragment",
    description: "Another one than ntfy.sh",
  }),
  topic: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    problem: "must have 1 to 64 letters, digits, _ or -",
    secret: true,
    description: "Who knows it can read along where the server asks for no login: choose one that nobody guesses",
  }),
  token: Type.Optional(Type.String({ ...HEADER_SAFE, secret: true, description: "An access token, tk_…" })),
  username: Type.Optional(Type.String({ minLength: 1, description: "Instead of a token" })),
  password: Type.Optional(Type.String({ minLength: 1, secret: true })),
  priority: Type.Optional(Type.Integer({ minimum: -2, maximum: 2, description: "Of messages that have none" })),
  tags: Type.Array(Type.String({ pattern: "^[^,\\s]{1,50}$", problem: "must be a word without commas" }), {
    default: [],
    maxItems: 10,
    description: "Words shown with each message; some become emoji, such as house or warning",
  }),
  markdown: Type.Boolean({ default: false, description: "Whether messages may contain Markdown" }),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const ntfy = defineChannel({
  kind: "ntfy",
  service: "ntfy",
  fields,
  problems: (config, at) => [...apiUrlProblems(config.server, at, "server"), ...loginProblems(config, at)],
  open(config, deps) {
    const topic = openTopic(config, deps);
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 1 },
      ...speaks(dialectOf(config)),
      send: (message, signal) => topic.publish(message, signal),
      change: (remote, message, signal) => topic.publish(message, signal, remote),
      remove: topic.remove,
    };
  },
  doc: "The service ntfy.sh, or an ntfy server of your own.",
  example: { name: "push", topic: "a-topic-nobody-guesses", token: "tk_the-access-token", tags: ["house"] },
});

function dialectOf({ markdown }: Pick<Config, "markdown">): Dialect {
  return markdown ? commonMarkdown : plain;
}

function loginProblems({ token, username, password }: Config, at: string) {
  const path = `${at}.password`;
  if (token !== undefined && password !== undefined)
    return [{ path, message: "token and password exclude each other: keep one" }];
  if ((username === undefined) === (password === undefined)) return [];
  return [{ path: at, message: "username and password belong together: give both, or a token" }];
}

function openTopic(config: Config, { fetch, clock, log, houseTime }: ChannelDeps) {
  const base = withoutSlash(config.server);
  const login = authorizationOf(config);

  async function ask(request: Omit<WebRequest, "service" | "addressKey">, signal: AbortSignal): Promise<PostAnswer> {
    const headers = { ...request.headers, ...login };
    return call(fetch, { ...request, headers, service: SERVICE, addressKey: "server" }, signal);
  }

  async function publishText(message: NtfyMessage, signal: AbortSignal): Promise<PostAnswer> {
    const body = JSON.stringify({ topic: config.topic, ...message });
    return ask({ method: "POST", url: base, headers: { "content-type": "application/json" }, body }, signal);
  }

  async function publishPicture(
    message: NtfyMessage,
    picture: NonNullable<ChannelMessage["picture"]>,
    signal: AbortSignal,
  ): Promise<PostAnswer> {
    const body = new Uint8Array(picture.bytes);
    return ask(
      { method: "PUT", url: `${base}/${config.topic}`, headers: ntfyHeaders(message, picture.name), body },
      signal,
    );
  }

  /** `remote` is the message that is replaced. */
  function publish(message: ChannelMessage, signal: AbortSignal, remote?: string): Promise<Delivery> {
    return sendOrPlain(message, {
      log,
      dialect: dialectOf(config),
      send: (one) => publishOnce(one, signal, { config, houseTime, sequence: remote }),
      sendPlain: ({ picture: _, ...one }) =>
        publishOnce(one, signal, { config: { ...config, markdown: false }, houseTime, sequence: remote }),
    });
  }

  async function publishOnce(message: ChannelMessage, signal: AbortSignal, settings: NtfySettings): Promise<Delivery> {
    const { picture } = message;
    const form = ntfyForm(message, settings);
    if (!picture) return deliveryOf(await publishText(form, signal));
    const answer = await publishPicture(form, picture, signal);
    if (!refusesPicture(answer)) return deliveryOf(answer);
    const refused = wordsOf(answer);
    log.warn("the picture was refused; the message is sent without it", { answer: refused });
    const delivery = deliveryOf(await publishText(form, signal));
    return { ...delivery, note: `sent without its picture, which was refused: ${refused}` };
  }

  function deliveryOf(answer: PostAnswer): Delivery {
    const { status, json } = answer;
    if (status === 200 && typeof json?.id === "string") {
      // Servers before 2.16 know no sequences, and can neither change nor take back.
      const remote = typeof json.sequence_id === "string" ? json.sequence_id.slice(0, 64) : undefined;
      const answer = `message ${json.id.slice(0, 64)}`;
      return { status, answer, parts: 1, ...(remote !== undefined && { remote }) };
    }
    throw refusalOf(answer, { service: SERVICE, clock, words: wordsOf(answer), hint: hintFor(answer) });
  }

  return {
    publish,
    async remove(remote: string, signal: AbortSignal): Promise<void> {
      const url = `${base}/${config.topic}/${encodeURIComponent(remote)}`;
      const answer = await ask({ method: "DELETE", url }, signal);
      if (answer.status === 404 || answer.status === 405)
        throw new DeliveryError(`${SERVICE} cannot take messages back`, {
          transient: false,
          status: answer.status,
          hint: "That needs ntfy 2.16 or newer",
        });
      if (answer.status !== 200)
        throw refusalOf(answer, { service: SERVICE, clock, words: wordsOf(answer), hint: hintFor(answer) });
    },
  };
}

function authorizationOf({ token, username, password }: Config): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (username === undefined || password === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

/** Attachments are off, this one is too large, or there is no room for it now. */
function refusesPicture({ status, json }: PostAnswer): boolean {
  return status === 413 || json?.code === 40014 || json?.code === 42905;
}

function hintFor({ status, json }: PostAnswer): string | undefined {
  if (status === 401 || status === 403)
    return "Likely a wrong token, user or password, or one that may not write there";
  if (status === 429 && json?.code === 42908)
    return "The day's messages are used up; a server of one's own has no such limit";
  if (status < 300 || status === 404) return "Likely a wrong server: this is not an answer of ntfy";
  return undefined;
}

function wordsOf({ json, words }: PostAnswer): string {
  return typeof json?.error === "string" ? json.error.slice(0, 300) : words;
}
