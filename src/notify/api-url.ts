// `api_url`: another server than the service's own, such as a self-hosted one.
import { Type } from "@sinclair/typebox";
import type { Problem } from "../core/schema.ts";

export const apiUrl = Type.Optional(
  Type.String({
    // No user, query or fragment: the key is appended, and nothing secret belongs into an address.
    pattern: "^https?://[^/@?#\\s]+(/[^@?#\\s]*)?$",
    problem: "must be an address such as https://bots.example.org, without user, query or fragment",
    description: "Address of a self-hosted or compatible server",
  }),
);

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Over plain HTTP the key can be read on the way, except to this machine itself. */
export function apiUrlProblems(url: string | undefined, at: string): Problem[] {
  if (url === undefined || !url.startsWith("http:") || isLoopback(URL.parse(url)?.hostname ?? "")) return [];
  return [{ path: `${at}.api_url`, message: "sends the key unencrypted: use https", warning: true }];
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host);
}
