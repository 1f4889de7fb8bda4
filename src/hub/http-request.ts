// Calls to services outside, as rules make them: bounded in time and in what is read of the answer.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { HttpRequest, RuleHost } from "../rules/model/host.ts";

const LONGEST_ANSWER = 64 * 1024;

/** Rejects with HubError `upstream_failed`; an answer with a bad status is an answer. */
export function createHttpRequest({
  fetch,
  clock,
}: {
  fetch: typeof globalThis.fetch;
  clock: Clock;
}): RuleHost["request"] {
  return async function request({ url, method, headers, body, timeoutMs }: HttpRequest, signal) {
    const late = new AbortController();
    const timer = clock.after("call-service", timeoutMs, () => late.abort());
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([signal, late.signal]),
      });
      return { status: response.status, body: await firstPart(response) };
    } catch (error) {
      const { host } = new URL(url);
      if (late.signal.aborted) {
        throw new HubError("upstream_failed", `${host} did not answer in ${timeoutMs / 1000} s`, { cause: error });
      }
      // The whole address may hold a token.
      throw new HubError("upstream_failed", `${host}: ${messageOf(error).replaceAll(url, host)}`, { cause: error });
    } finally {
      timer[Symbol.dispose]();
    }
  };
}

/** What comes after is not read. */
async function firstPart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= LONGEST_ANSWER) return text.slice(0, LONGEST_ANSWER);
  }
  return text + decoder.decode();
}
