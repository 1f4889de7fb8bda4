// Logs in to cameras as they ask for it: the strongest Digest they offer, else Basic. A password goes over the wire only where a camera
// has no better way. What a camera asked for is remembered, so that the next picture takes one request.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { type Challenge, challengesIn } from "./challenge.ts";
import { digestAuthorization, digestRank, type Login } from "./digest.ts";

export interface Logins {
  /**
   * `ask` sends the GET request with this `Authorization`, or without one. Resolves with the last answer: 401 where the login in the
   * address is wrong, or none is given.
   */
  ask(url: URL, ask: (authorization: string | undefined) => Promise<Response>): Promise<Response>;
}

interface Asked {
  readonly challenge: Challenge;
  /** How often its nonce was used. */
  count: number;
}

const MAX_REMEMBERED = 100;
const CNONCE_BYTES = 16;
const BASIC: Challenge = { scheme: "basic", parameters: {} };

export function createLogins(random: RandomBytes): Logins {
  const remembered = new Map<string, Asked>();

  function answer(asked: Asked, login: Login, url: URL): string {
    if (asked.challenge.scheme === "basic") {
      const text = `${login.username}:${login.password}`;
      return `Basic ${Buffer.from(text).toString("base64")}`;
    }
    const cnonce = Buffer.from(random(CNONCE_BYTES)).toString("hex");
    const request = { method: "GET", uri: url.pathname + url.search, count: ++asked.count, cnonce };
    return digestAuthorization(asked.challenge, login, request);
  }

  function remember(key: string, asked: Asked): void {
    remembered.delete(key);
    remembered.set(key, asked);
    for (const oldest of remembered.keys()) if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
  }

  return {
    async ask(url, ask) {
      if (url.username === "") return ask(undefined);
      const login = { username: decoded(url.username), password: decoded(url.password) };
      const key = `${url.origin} ${url.username}`;
      const known = remembered.get(key);
      const first = await ask(known && answer(known, login, url));
      if (first.status !== 401 && first.status !== 403) return first;
      // Also where a nonce that was good is over, with or without `stale`.
      const challenge = strongest(challengesIn(first.headers.get("www-authenticate")), known?.challenge);
      remembered.delete(key);
      if (!challenge) return first;
      await first.body?.cancel();
      const asked = { challenge, count: 0 };
      const second = await ask(answer(asked, login, url));
      if (second.status !== 401 && second.status !== 403) remember(key, asked);
      return second;
    },
  };
}

/**
 * Basic also for a camera that does not say what it wants; undefined where it wants what nobody here knows, or what was just tried.
 * Whoever took a Digest before gets no password in Basic.
 */
function strongest(challenges: readonly Challenge[], tried: Challenge | undefined): Challenge | undefined {
  const ranked = challenges.flatMap((challenge) => {
    const rank = digestRank(challenge);
    return rank === undefined ? [] : [{ challenge, rank }];
  });
  const [best] = ranked.sort((a, b) => a.rank - b.rank);
  if (best) return best.challenge;
  if (tried) return undefined;
  return challenges.length === 0 || challenges.some(({ scheme }) => scheme === "basic") ? BASIC : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that was written as itself.
    return text;
  }
}
