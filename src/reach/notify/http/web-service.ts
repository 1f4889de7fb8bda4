// A notification service on the web: its address in the configuration (`api_url`), and one HTTP request to it. What fetch
// throws contains the address, and some addresses contain a token: only the error's code is passed on.
import { Type } from "@sinclair/typebox";
import { systemCode } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import { DeliveryError } from "../channel.ts";
import { answerText } from "./answer-text.ts";

const MAX_WORDS = 300;

/** Another server than the service's own, such as a self-hosted one. */
export const apiUrl = Type.Optional(
  Type.String({
    // No user, query or fragment: the key is appended, and an address must not contain secrets.
    pattern: "^https?://[^/@?#\\s]+(/[^@?#\\s]*)?$",
    problem: "must be an address such as https://bots.example.org, without user, query or fragment",
    description: "Address of a self-hosted or compatible server",
  }),
);

/** Of a text that is sent in a header. */
export const HEADER_SAFE = { pattern: "^[\\x21-\\x7e]+$", problem: "must be letters, digits and signs without spaces" };

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Over plain HTTP the key can be read on the way, except to this machine itself. */
export function apiUrlProblems(url: string | undefined, at: string, key = "api_url"): Problem[] {
  if (url === undefined || !url.startsWith("http:") || isLoopback(URL.parse(url)?.hostname ?? "")) return [];
  return [{ path: `${at}.${key}`, message: "sends the key unencrypted: use https", warning: true }];
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host);
}

export interface WebRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** What messages call the server, instead of its address. */
  service: string;
  /** The key of the configuration that holds its address, for hints; `api_url` when absent. */
  addressKey?: string;
}

export interface PostRequest extends Pick<WebRequest, "url" | "service"> {
  contentType: string;
  body: string | Uint8Array<ArrayBuffer>;
}

export interface PostAnswer {
  status: number;
  headers: Headers;
  /** Undefined unless the body is a JSON object. */
  json: JsonObject | undefined;
  /** The beginning of the body, in one line. */
  words: string;
}

/** Throws DeliveryError when no answer came, or a redirect. */
export function post(send: typeof fetch, request: PostRequest, signal: AbortSignal): Promise<PostAnswer> {
  const { contentType, ...rest } = request;
  return call(send, { ...rest, method: "POST", headers: { "content-type": contentType } }, signal);
}

/** One request of any method. Throws as `post` does. */
export async function call(send: typeof fetch, request: WebRequest, signal: AbortSignal): Promise<PostAnswer> {
  const { url, service, method, headers, body, addressKey = "api_url" } = request;
  const answer = await attempt({ url, service, addressKey }, signal, async () => {
    // A redirect is not followed: it would pass the secret on to another server.
    const response = await send(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal,
    });
    return { status: response.status, headers: response.headers, text: await answerText(response) };
  });
  if (answer.status >= 300 && answer.status < 400) {
    throw new DeliveryError(`${service} answered with a redirect (status ${answer.status}), which is not followed`, {
      transient: true,
      status: answer.status,
      hint: `Likely a wrong ${addressKey}, or a network that wants a login first`,
    });
  }
  const parsed = parseJson(answer.text);
  return {
    status: answer.status,
    headers: answer.headers,
    json: parsed.ok && isObject(parsed.value) ? parsed.value : undefined,
    words: wordsOf(answer.text),
  };
}

/** A server's text in one line, shortened. */
export function wordsOf(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}

type Called = Required<Pick<WebRequest, "url" | "service" | "addressKey">>;

async function attempt<T>(called: Called, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { url, service, addressKey } = called;
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    if (signal.aborted) throw new DeliveryError(`${service} did not answer in time`, { transient: true });
    const code = systemCode(error) ?? "no connection";
    const host = new URL(url).host;
    throw new DeliveryError(`no answer from ${service} at ${host}: ${code}`, {
      transient: true,
      hint: hintFor(code, addressKey),
    });
  }
}

function hintFor(code: string, addressKey: string): string {
  if (/CERT|SIGNATURE|SELF_SIGNED|ALTNAME/.test(code)) return "The server's certificate is not valid for this address";
  if (code === "EPROTO") return `The TLS handshake failed; likely a wrong port or scheme in ${addressKey}`;
  return `No network, or a wrong ${addressKey}`;
}
