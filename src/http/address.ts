// The address of a request: its path and query, and the name it calls the hub by. Read here and nowhere else.
import { parseAddress } from "../auth/addresses.ts";

/**
 * Path and query of a request's URL. Bun writes `http(s)://HOST` in front of the target where the Host header can be one,
 * and the bare target where it cannot; nothing is routed by what this returns.
 */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", query: "" };
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** Whether a Host header is one: a name or an address, with or without a port. Two headers arrive as `a, b`. */
export function isHost(host: string): boolean {
  const parts = /^(?:\[([0-9a-f:.]+)\]|[a-z0-9_][a-z0-9._-]{0,252})(?::(\d{1,5}))?$/i.exec(host);
  if (!parts) return false;
  const [, bracketed, port = "0"] = parts;
  return Number(port) <= 65_535 && (bracketed === undefined || parseAddress(bracketed) !== undefined);
}

/**
 * Whether this hub is meant: an address, `localhost`, `*.local` or one of `names`. Any other name may belong to a page of
 * a stranger who points it at this address (DNS rebinding).
 */
export function isOwnHost(host: string, names: ReadonlySet<string>): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".local") || names.has(name)) return true;
  return parseAddress(name.replace(/^\[(.*)\]$/, "$1")) !== undefined;
}
