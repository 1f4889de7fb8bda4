// Asks a running hub over its API. The hub of a home with the rights of whoever may read the home: hub.toml holds the secret that
// signs tokens, so a token of a minute is made for an administrator, and is used for one call. Another hub with a token or key
// that is given. Not with fetch, which would use the proxy that the environment may name.
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isObject, type Json, parseJson } from "../../kit/schema/json.ts";
import { createTokens } from "../../server/auth/tokens.ts";
import { anAdministrator } from "../../server/db/known-ids.ts";
import type { Home } from "../../server/home/paths.ts";
import type { HubConfig } from "../config/sections.ts";

export interface HubClient {
  /** Where it answers. */
  readonly origin: string;
  /** Throws HubError: `not_found`, `upstream_failed` with the hub's words, `unavailable` where it does not answer. */
  ask(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: Json): Promise<Json>;
  /** A WebSocket that is opening: ask the hub something first, because a refusal of the token looks like any other fault there. */
  connect(path: string): Promise<WebSocket>;
}

export interface HubClientOptions {
  home: Home;
  config: HubConfig;
  platform: Platform;
  /** Where it answers, if hub.toml lets it take any port. */
  url: string | undefined;
}

const WITHIN_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MINUTE_IN_HOURS = 1 / 60;
/** A stream ends with its token; whoever follows it connects again. */
const STREAM_HOURS = 1;

/** Throws HubError: `invalid` for an address that cannot be used, `not_found` where nobody could log in. */
export async function openHubClient({ home, config, platform, url }: HubClientOptions): Promise<HubClient> {
  const base = addressOf(config, url);
  const admin = anAdministrator(home.stateDb);
  if (!admin) throw new HubError("not_found", "no administrator has an account yet: make one with `hub passwd`");
  const { clock, random } = platform;
  return clientAt(base, {
    // Its certificate is for the name that other machines use.
    tls: { rejectUnauthorized: false },
    async token(lifetimeHours) {
      const tokens = createTokens({ secret: config.auth.jwt_secret, lifetimeHours, clock, random });
      return (await tokens.issue(admin)).token;
    },
    whose: `the hub of ${home.root}`,
    unknown: "is not the one of this home: it does not know its secret",
  });
}

/** Of a hub anywhere, with a token or an API key. Throws HubError `invalid` for an address that cannot be used. */
export function openRemoteClient({ url, token, ca }: { url: string; token: string; ca?: string }): HubClient {
  if (!isHttp(url)) throw new HubError("invalid", "--url must be an address such as https://hub.example:8080");
  return clientAt(new URL(url), {
    tls: ca === undefined ? {} : { ca },
    token: async () => token,
    whose: "a hub",
    unknown: "does not know this token or key: it is wrong, expired or withdrawn",
  });
}

interface Access {
  tls: { rejectUnauthorized?: boolean; ca?: string };
  token(lifetimeHours: number): Promise<string>;
  whose: string;
  /** What a hub does that refuses the token. */
  unknown: string;
}

function clientAt(base: URL, { tls, token, whose, unknown }: Access): HubClient {
  return {
    origin: base.origin,
    async ask(method, path, body) {
      const url = new URL(`/api/v1${path}`, base);
      const answer = await send(url, { method, token: await token(MINUTE_IN_HOURS), body, tls });
      if (answer.status === 204) return null;
      const parsed = parseJson(answer.text, 64);
      if (!parsed.ok) throw new HubError("upstream_failed", `what answers at ${base.origin} is not ${whose}`);
      if (answer.status < 300) return parsed.value;
      throw refusal(answer.status, parsed.value, `the hub at ${base.origin} ${unknown}`);
    },
    async connect(path) {
      const url = new URL(`/api/v1${path}`, base.href.replace(/^http/, "ws"));
      const options = { headers: { authorization: `Bearer ${await token(STREAM_HOURS)}` }, tls };
      return new WebSocket(url.href, options);
    },
  };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** On this machine only: the token would be good for everything. */
function addressOf({ server }: HubConfig, url: string | undefined): URL {
  if (url === undefined && server.port === 0)
    throw new HubError(
      "invalid",
      "hub.toml lets the hub take any port: say where it answers, with --url http://127.0.0.1:PORT",
    );
  const host = server.host === "0.0.0.0" ? "127.0.0.1" : server.host === "::" ? "::1" : server.host;
  const own = `${server.tls_cert === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
  const text = url ?? own;
  if (!isHttp(text)) throw new HubError("invalid", "--url must be an address such as http://127.0.0.1:8080");
  const parsed = new URL(text);
  if (url !== undefined && ![host, "127.0.0.1", "[::1]", "localhost"].includes(parsed.hostname))
    throw new HubError(
      "invalid",
      "--url must be an address of this machine, as the home and its hub belong together; another hub needs a token as well",
    );
  return parsed;
}

interface Sent {
  method: string;
  token: string;
  body: Json | undefined;
  tls: Access["tls"];
}

function send(url: URL, { method, token, body, tls }: Sent): Promise<{ status: number; text: string }> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(
        new HubError("unavailable", `the hub does not answer at ${url.origin}: ${messageOf(error)}`, { cause: error }),
      );
    const sent = request(
      url,
      { method, headers, agent: false, ...tls, signal: AbortSignal.timeout(WITHIN_MS) },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) sent.destroy(new Error("its answer is too large"));
          else chunks.push(chunk);
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
        response.on("error", fail);
      },
    );
    sent.on("error", fail);
    sent.end(text);
  });
}

function refusal(status: number, body: Json, unknown: string): HubError {
  const words =
    isObject(body) && typeof body.detail === "string" ? body.detail : `it answers with the status ${status}`;
  if (status === 401) return new HubError("unauthenticated", unknown);
  return new HubError(status === 404 ? "not_found" : "upstream_failed", words, {
    details: isObject(body) ? body : {},
  });
}
