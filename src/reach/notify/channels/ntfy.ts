// `ntfy`: ntfy.sh, or an ntfy server of one's own.
import { type Static, Type } from "@sinclair/typebox";
import { answerLinks } from "../answer-links.ts";
import { type ChannelDeps, type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { refusalOf } from "../http/web-failure.ts";
import {
  apiUrlProblems,
  call,
  HEADER_SAFE,
  type PostAnswer,
  type WebRequest,
  withoutSlash,
} from "../http/web-service.ts";
import { sendOrPlain } from "../last-try.ts";
import { type Dialect, speaks } from "../markup/dialect.ts";
import { shorten } from "../markup/long-text.ts";
import { commonMarkdown, plain } from "../markup/plain-dialects.ts";
import { fitted, isSilent, textOf } from "../plain-message.ts";

/** Of 4,096 and more, ntfy makes a file, or refuses it where files are off. */
const MAX_BYTES = 4095;
/** ntfy refuses a message that is longer than 8,191 with all that belongs to it; its topic is added later. */
const MAX_JSON = 8000;
const MAX_TITLE = 250;
const SILENT = 2;
/** The server refuses more. */
const MAX_BUTTONS = 3;

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

interface NtfyMessage {
  message: string;
  title: string;
  /** From 1 to 5. */
  priority?: number;
  tags?: string[];
  markdown?: true;
  /** What a tap on the message opens. */
  click?: string;
  actions?: { action: "http"; label: string; url: string; method: "POST"; clear: true }[];
  /** A later message with the same one takes this one's place, a copy that arrives twice included. */
  sequence_id: string;
}

interface NtfySettings {
  config: { priority?: number | undefined; tags: readonly string[]; markdown: boolean };
  houseTime: (at: number) => string;
  /** Of the message that is replaced; its own id when absent. */
  sequence?: string | undefined;
}

/** A message as ntfy takes it: as JSON, or as headers beside a file. See https://docs.ntfy.sh/publish/ */
function ntfyForm(message: ChannelMessage, { config, houseTime, sequence = message.id }: NtfySettings): NtfyMessage {
  const priority = priorityOf(message, config.priority);
  const answers = answerLinks(message);
  const rest: Omit<NtfyMessage, "message"> = {
    title: shorten(message.title.toWellFormed(), MAX_TITLE),
    ...(priority !== undefined && { priority }),
    ...(config.tags.length > 0 && { tags: [...config.tags] }),
    ...(config.markdown && { markdown: true }),
    // The page that a tap opens has all answers.
    ...(answers[0] && {
      click: answers[0].url,
      actions: answers
        .slice(0, MAX_BUTTONS)
        .map(({ label, url }) => ({ action: "http", label, url, method: "POST", clear: true })),
    }),
    sequence_id: sequence,
  };
  const withText = (limit: number): NtfyMessage => ({ message: textOf(message, houseTime, limit), ...rest });
  return fitted(withText, { limit: MAX_BYTES, bytes: MAX_JSON });
}

/** From -2…2 to 1…5; undefined leaves it to the server. A silent message makes no sound whatever its priority. */
function priorityOf(message: ChannelMessage, own: number | undefined): number | undefined {
  const asked = message.priority ?? own;
  const priority = asked === undefined ? undefined : asked + 3;
  return isSilent({ ...message, ...(asked !== undefined && { priority: asked }) })
    ? Math.min(SILENT, priority ?? SILENT)
    : priority;
}

/** The same beside a file; texts are written as RFC 2047 has it, which also keeps line breaks. */
function ntfyHeaders({ actions, tags, ...message }: NtfyMessage, filename: string): Record<string, string> {
  const entries = Object.entries({
    ...message,
    filename,
    tags: tags?.join(","),
    actions: actions && JSON.stringify(actions),
  });
  return Object.fromEntries(
    entries.flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[`x-${name.replaceAll("_", "-")}`, encodedWords(String(value))]],
    ),
  );
}

// RFC 2047 allows 75 characters for a word, `=?UTF-8?B?` and `?=` included.
const BYTES_IN_WORD = 45;

function encodedWords(text: string): string {
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (Buffer.byteLength(word) + Buffer.byteLength(character) > BYTES_IN_WORD) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join(" ");
}
