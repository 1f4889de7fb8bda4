// Reads the REST API of a running homeCore. Every answer is bounded, and every failure says what to do. The token goes to no
// other address, and is in no message.

import type { Platform } from "../../../kit/lifecycle/platform.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { type Json, parseJson } from "../../../kit/schema/json.ts";

export interface HomecoreClient {
  /** Without a path, for people. */
  readonly origin: string;
  /** Throws HubError: `upstream_failed`, `unauthenticated`, `forbidden`, `not_found`, `too_large`, `invalid`. */
  get(path: string): Promise<Json>;
  text(path: string): Promise<string>;
}

export interface ClientOptions {
  /** As a person types it, with or without `/api/v1`. */
  url: string;
  token: string;
  fetch: Platform["fetch"];
}

const WITHIN_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;
const DEEPEST = 64;

/** Throws HubError `invalid` for an address that cannot be one. */
export function createHomecoreClient({ url, token, fetch }: ClientOptions): HomecoreClient {
  const base = apiOf(url);
  const { origin } = base;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new HubError("invalid", "the token is not one: it has characters that no token has; copy it again");

  async function read(path: string): Promise<string> {
    const response = await ask(`${base.href}${path}`);
    try {
      refuseStatus(response.status, path, origin);
      return await boundedText(response, path);
    } finally {
      await response.body?.cancel().catch(() => {});
    }
  }

  async function ask(address: string): Promise<Response> {
    try {
      return await fetch(address, {
        headers: { authorization: `Bearer ${token}`, accept: "application/json, text/plain" },
        // A redirect would send the token to another address.
        redirect: "manual",
        signal: AbortSignal.timeout(WITHIN_MS),
      });
    } catch (error) {
      throw unreachable(origin, error);
    }
  }

  return {
    origin,
    text: read,
    async get(path) {
      const text = await read(path);
      const parsed = parseJson(text, DEEPEST);
      if (parsed.ok) return parsed.value;
      throw new HubError("invalid", `${origin} does not answer as homeCore does: ${path} is ${parsed.problem}`);
    },
  };
}

function apiOf(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["http:", "https:"].includes(parsed.protocol))
    throw new HubError("invalid", "--url must be the address of homeCore, such as http://192.168.1.20:8080");
  if (parsed.username !== "" || parsed.password !== "")
    throw new HubError("invalid", "--url must not hold a password: log in at homeCore and give its token");
  return new URL(`${parsed.origin}${parsed.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1`);
}

function unreachable(origin: string, error: unknown): HubError {
  const late = error instanceof Error && error.name === "TimeoutError";
  const why = late ? `it gave no answer within ${WITHIN_MS / 1000} seconds` : messageOf(error);
  return new HubError("upstream_failed", `cannot reach homeCore at ${origin}: ${why}; is it running there?`, {
    cause: error,
  });
}

function refuseStatus(status: number, path: string, origin: string): void {
  if (status === 200) return;
  if (status === 401)
    throw new HubError(
      "unauthenticated",
      `homeCore at ${origin} refuses the token: log in there again and give the new one`,
    );
  if (status === 403)
    throw new HubError("forbidden", `the token may not read ${path}: give that of an administrator of homeCore`);
  if (status === 404) throw new HubError("not_found", `there is no ${path} at ${origin}: is it homeCore's address?`);
  if (status >= 300 && status < 400)
    throw new HubError("upstream_failed", `${origin} leads to another address: give that one with --url`);
  throw new HubError("upstream_failed", `homeCore at ${origin} answers ${path} with the status ${status}`);
}

async function boundedText(response: Response, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES)
        throw new HubError("too_large", `the answer to ${path} is larger than 64 MB: this is not homeCore`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError("upstream_failed", `the answer to ${path} broke off: ${messageOf(error)}; try again`, {
      cause: error,
    });
  }
  return Buffer.concat(chunks).toString("utf8");
}
