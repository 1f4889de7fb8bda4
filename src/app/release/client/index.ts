// The hub's API for TypeScript: every path, query, body and answer has its type. Made from the hub's own OpenAPI document.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

export interface HubClientOptions {
  /** Where the hub answers, such as `http://hub.local:8080`. */
  url: string;
  /** A token or API key, or what gives one before each request. */
  token?: string | (() => string | Promise<string>);
  fetch?: (request: Request) => Promise<Response>;
}

export type HubClient = Client<paths>;

/**
 * `await hub.GET("/api/v1/devices/{id}", { params: { path: { id: "hall_lamp" } } })` resolves with `data`, or with `error`: what
 * the hub says is wrong. It rejects only where the hub cannot be reached.
 */
export function createHubClient({ url, token, fetch }: HubClientOptions): HubClient {
  const client = createClient<paths>({ baseUrl: url.replace(/\/+$/, ""), ...(fetch && { fetch }) });
  client.use({
    async onRequest({ request }) {
      const bearer = typeof token === "function" ? await token() : token;
      if (bearer !== undefined) request.headers.set("authorization", `Bearer ${bearer}`);
      return request;
    },
  });
  return client;
}
