// The URL of a request (path and query) and its Host header. No other file parses them.
import { parseAddress } from "../../kit/text/addresses.ts";

/**
 * Path and query of a request's URL. Bun writes `http(s)://HOST` in front of the target where the Host header can be one,
 * and the bare target where it cannot. Only the first request for the API is routed by it, all others by Bun.
 */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", query: "" };
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** Whether a Host header is a name or an address, with or without a port. Two headers arrive as `a, b`. */
export function isHost(host: string): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|[a-z0-9_][a-z0-9._-]{0,252})(?::(\d{1,5}))?$/i.exec(host);
  if (!match) return false;
  const [, bracketed, port = "0"] = match;
  return Number(port) <= 65_535 && (bracketed === undefined || parseAddress(bracketed) !== undefined);
}

/**
 * Whether the host is this hub: an address, `localhost`, `*.local` or one of `names`. An attacker may point any other name at
 * this address (DNS rebinding).
 */
export function isOwnHost(host: string, names: ReadonlySet<string>): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".local") || names.has(name)) return true;
  return parseAddress(name.replace(/^\[(.*)\]$/, "$1")) !== undefined;
}
