// HTTP requests of rules: bounded in time and in how much of the answer is read.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { fetchFollowing } from "../../kit/text/redirects.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { HouseEffects, HttpRequest } from "../../rules/model/host.ts";

const refuse = (what: string): HubError => new HubError("upstream_failed", what);
const MAX_ANSWER = 64 * 1024;

/** Rejects with HubError `upstream_failed` without an answer; an answer with a bad status is not an error. */
export function createHttpRequest({
  fetch,
  clock,
}: {
  fetch: typeof globalThis.fetch;
  clock: Clock;
}): HouseEffects["request"] {
  return async function request({ url, method, headers, body, timeoutMs }: HttpRequest, signal) {
    const timeout = new AbortController();
    const timer = clock.after("call-service", timeoutMs, () => timeout.abort());
    try {
      const init = {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([signal, timeout.signal]),
      };
      const response = await fetchFollowing(new URL(url), init, {
        fetch,
        // Headers and body are for the host that the rule names, and may hold its password.
        onward(to, from) {
          const isSafe = to.protocol === from.protocol || to.protocol === "https:";
          if (to.hostname === from.hostname && isSafe) return fetch;
          throw refuse(`sends on to ${to.protocol}//${to.host}, which is not followed: give that address in the rule`);
        },
        refuse,
      });
      return { status: response.status, body: await firstPart(response) };
    } catch (error) {
      const { host } = new URL(url);
      if (timeout.signal.aborted) {
        throw new HubError("upstream_failed", `${host} did not answer in ${timeoutMs / 1000} s`, { cause: error });
      }
      // Only the host is named: the whole address may contain a token.
      throw new HubError("upstream_failed", `${host}: ${messageOf(error).replaceAll(url, host)}`, { cause: error });
    } finally {
      timer[Symbol.dispose]();
    }
  };
}

/** At most the first 64 KiB of characters; the rest is not read. */
async function firstPart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_ANSWER) return text.slice(0, MAX_ANSWER);
  }
  return text + decoder.decode();
}
