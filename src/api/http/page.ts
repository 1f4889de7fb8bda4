// Serves the page: hashed files that browsers keep for ever, and for every other address outside the API its index.html, in
// which the page finds the view by itself.
import { readFileSync } from "node:fs";
import { type Encoding, type PackedEntry, readPackIndex } from "../../kit/files/pack.ts";

export interface Page {
  /** What makes the answer; undefined where this is no request for the page. */
  find(request: Request, path: string): (() => Response) | undefined;
}

const CSP = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "object-src 'none'",
].join("; ");

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": CSP,
  "permissions-policy": "camera=(), microphone=(), payment=(), usb=()",
  vary: "accept-encoding",
  // Bun would send the name of the pack.
  "content-disposition": "inline",
};
const KEPT = "public, max-age=31536000, immutable";
const INDEX = "/index.html";

interface Opened {
  byPath: Map<string, PackedEntry>;
  bytes(place: readonly [number, number]): Blob;
}

/** `file`: the path of page.pack, also inside the executable. `apis`: first levels of addresses that are no page. */
export function createPage(file: string, apis: readonly string[]): Page {
  let opened: Opened | undefined;

  function open(): Opened {
    if (!opened) {
      const { entries, start } = readPackIndex(readFileSync(file));
      // Inside the executable its bytes are in memory already; a slice of them is no copy.
      const blob = Bun.file(file);
      opened = {
        byPath: new Map(entries.map((entry) => [entry.path, entry])),
        bytes: ([from, to]) => blob.slice(start + from, start + to),
      };
    }
    return opened;
  }

  function send(entry: PackedEntry, { headers, method }: Request): Response {
    const cache = entry.hashed ? KEPT : "no-cache";
    const given = { ...HEADERS, "cache-control": cache, etag: entry.etag };
    if (headers.get("if-none-match")?.split(/,\s*/).includes(entry.etag))
      return new Response(null, { status: 304, headers: given });
    const encoding = encodingFor(headers.get("accept-encoding") ?? "", entry);
    const place = entry.encodings[encoding];
    const all = {
      ...given,
      "content-type": entry.type,
      ...(place && { "content-length": String(place[1] - place[0]) }),
      ...(encoding !== "identity" && { "content-encoding": encoding }),
    };
    return new Response(method === "HEAD" ? null : place ? open().bytes(place) : unpacked(entry), { headers: all });
  }

  /** For whoever takes nothing compressed: a command, no browser. */
  function unpacked({ encodings: { gzip } }: PackedEntry): ReadableStream | null {
    return gzip ? open().bytes(gzip).stream().pipeThrough(new DecompressionStream("gzip")) : null;
  }

  return {
    find(request, path) {
      if (request.method !== "GET" && request.method !== "HEAD") return undefined;
      if (apis.some((api) => path === api || path.startsWith(`${api}/`))) return undefined;
      const { byPath } = open();
      const found =
        byPath.get(path === "/help/" ? "/help" : path) ?? (isNavigation(request, path) ? byPath.get(INDEX) : undefined);
      return found && (() => send(found, request));
    },
  };
}

/** A view's address, typed or linked to; a file that is missing is none. */
function isNavigation({ headers }: Request, path: string): boolean {
  return path === "/" || (headers.get("accept") ?? "").includes("text/html");
}

function encodingFor(accepted: string, { encodings }: PackedEntry): Encoding {
  const names = accepted.split(",").flatMap((one) => {
    const [name = "", ...parameters] = one.trim().split(/\s*;\s*/);
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return (["br", "gzip"] as const).find((one) => names.includes(one) && encodings[one]) ?? "identity";
}
