// One HTTP request to a notification service, its whole answer or why there is none. What fetch throws names the address, and
// some of those hold a token: nothing of it but its code is passed on.
import { systemCode } from "../core/errors.ts";
import { isObject, type JsonObject, parseJson } from "../core/json.ts";
import { DeliveryError } from "./channel.ts";

const LONGEST_ANSWER_BYTES = 64 * 1024;
const LONGEST_WORDS = 300;

export interface PostRequest {
  url: string;
  contentType: string;
  body: string;
  /** Said to people instead of the address. */
  service: string;
}

export interface PostAnswer {
  status: number;
  headers: Headers;
  /** Where the body is a JSON object. */
  json: JsonObject | undefined;
  /** The body's beginning, in one line. */
  words: string;
}

/** Throws DeliveryError where no answer came, or one that sends elsewhere. */
export async function post(send: typeof fetch, request: PostRequest, signal: AbortSignal): Promise<PostAnswer> {
  const { url, contentType, body, service } = request;
  const answer = await attempt(request, signal, async () => {
    // A redirect is not followed: it would take the secret to whoever it names.
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": contentType },
      body,
      redirect: "manual",
      signal,
    });
    return { status: response.status, headers: response.headers, text: await beginningOf(response) };
  });
  if (answer.status >= 300 && answer.status < 400) {
    throw new DeliveryError(`${service} sends elsewhere (status ${answer.status}), which is not followed`, {
      passing: true,
      status: answer.status,
      hint: "Likely a wrong api_url, or a network that wants a login first",
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

/** A server's text in one line that is not too long. */
export function wordsOf(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}

async function attempt<T>({ url, service }: PostRequest, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw new DeliveryError(`${service} did not answer in time`, { passing: true });
    const code = systemCode(error) ?? "no connection";
    const host = new URL(url).host;
    throw new DeliveryError(`no answer from ${service} at ${host}: ${code}`, { passing: true, hint: hintFor(code) });
  }
}

function hintFor(code: string): string {
  if (/CERT|SIGNATURE|SELF_SIGNED|ALTNAME/.test(code)) return "The server's certificate is not valid for this address";
  if (code === "EPROTO") return "The TLS handshake failed; likely a wrong port or scheme in api_url";
  return "No network, or a wrong api_url";
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LONGEST_ANSWER_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, LONGEST_ANSWER_BYTES));
}
