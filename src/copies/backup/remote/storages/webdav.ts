// WebDAV: Nextcloud, ownCloud, and what many a NAS and hoster has. Files are sent with their length, as some servers cannot do without.
import type { Static } from "@sinclair/typebox";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import { addressOf, trimmed, type WebdavTarget } from "../config.ts";
import { MAX_FILES, type OpenOptions, type Storage } from "../storage.ts";
import { drop, textOf, trustOf } from "./http.ts";
import { isUntrusted, networkWords } from "./network-words.ts";
import { textsOf } from "./xml.ts";

type Target = Static<typeof WebdavTarget>;

/** A listing, or moving a file; sending and reading may take as long as they move. */
const ANSWER_WITHIN_MS = 120_000;
const MAX_LISTING = 32 * 1024 * 1024;
const LISTING = `<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getcontentlength/><resourcetype/></prop></propfind>`;

interface Request {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: AsyncIterable<Uint8Array> | string;
  /** Statuses besides 200 to 299 that the caller looks at. */
  also?: readonly number[];
}

export function openWebdav(target: Target, { resolve }: OpenOptions): Storage {
  const root = target.url.replace(/\/+$/, "");
  const folders = trimmed(target.prefix).split("/").filter(Boolean);
  const urlOf = (path: string): string =>
    [root, ...[...folders, ...path.split("/").filter(Boolean)].map(encodeURIComponent)].join("/");
  const send = sender(target, resolve);
  const listing = { most: MAX_LISTING, address: addressOf(target) };
  const made = new Set<string>();

  async function makeFolders(folder: string): Promise<void> {
    if (made.has(folder)) return;
    for (const depth of [...folders, folder].keys()) {
      const path = [...folders, folder].slice(0, depth + 1).map(encodeURIComponent);
      // 405: it is there; some servers say so by a conflict or a redirect.
      await drop(await send({ method: "MKCOL", url: `${[root, ...path].join("/")}/`, also: [405, 301] }));
    }
    made.add(folder);
  }

  async function entriesOf(folder: string): Promise<{ name: string; bytes: number; isFolder: boolean }[]> {
    const url = `${urlOf(folder)}/`;
    const headers = { depth: "1", "content-type": "application/xml" };
    const answer = await send({ method: "PROPFIND", url, headers, body: LISTING, also: [404] });
    if (answer.status === 404) {
      await drop(answer);
      return [];
    }
    const own = new URL(url).pathname;
    const entries = textsOf(await textOf(answer, listing), "response", ["href", "getcontentlength", "collection"]);
    if (entries.length > MAX_FILES)
      throw failed(target, `holds more than ${MAX_FILES} files: give the copies a folder of their own`);
    return entries.flatMap(([href = "", bytes = "0", collection]) => {
      const path = URL.canParse(href.trim(), url) ? new URL(href.trim(), url).pathname : "";
      if (decoded(path).replace(/\/$/, "") === decoded(own).replace(/\/$/, "")) return [];
      const name = decoded(path.replace(/\/$/, "").split("/").at(-1) ?? "");
      return [{ name, bytes: Number(bytes.trim()) || 0, isFolder: collection !== undefined }];
    });
  }

  return {
    putsWhole: false,
    folders: async () => (await entriesOf("")).flatMap(({ name, isFolder }) => (isFolder ? [name] : [])),
    list: async (folder) =>
      (await entriesOf(folder)).flatMap(({ name, bytes, isFolder }) => (isFolder ? [] : [{ name, bytes }])),
    async put(path, { bytes, read }) {
      await makeFolders(path.split("/")[0] ?? "");
      const headers = { "content-length": String(bytes), "content-type": "application/octet-stream" };
      await drop(await send({ method: "PUT", url: urlOf(path), headers, body: read() }));
    },
    async *get(path) {
      const answer = await send({ method: "GET", url: urlOf(path), headers: { "accept-encoding": "identity" } });
      try {
        yield* (answer.body ?? []) as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw inWords(target, error);
      }
    },
    async rename(from, to) {
      const headers = { destination: urlOf(to), overwrite: "T" };
      await drop(await send({ method: "MOVE", url: urlOf(from), headers }));
    },
    remove: async (path) => drop(await send({ method: "DELETE", url: urlOf(path), also: [404] })),
    [Symbol.asyncDispose]: async () => {},
  };
}

function sender(target: Target, resolve: (path: string) => string): (request: Request) => Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${target.username}:${target.password}`).toString("base64")}`;
  const trust = trustOf(target, { resolve, address: addressOf(target) });
  return async function send({ method, url, headers = {}, body, also = [] }) {
    const transfers = method === "PUT" || method === "GET";
    try {
      const answer = await fetch(url, {
        method,
        headers: { authorization, ...headers },
        // Bun sends what is iterated with the length in the header; a file itself it would read into memory first.
        ...(body === undefined ? {} : { body: body as string }),
        redirect: "manual",
        ...trust,
        ...(transfers ? {} : { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }),
      });
      if (answer.ok || also.includes(answer.status)) return answer;
      await drop(answer);
      if (answer.status === 404) throw new HubError("not_found", `it is not in ${addressOf(target)}`);
      throw failed(target, meaningOf(answer.status, method));
    } catch (error) {
      throw inWords(target, error);
    }
  };
}

function meaningOf(status: number, method: string): string {
  switch (status) {
    case 401:
      return "the username or the password is wrong (Nextcloud wants an app password)";
    case 403:
      return "the account may not do that: give it the right to write there";
    case 409:
      return "the folder in `url` does not exist: make it there, or correct `url`";
    case 413:
      return "the server takes no files that large: raise its limit";
    case 423:
      return "the file is locked there: it is tried again later";
    case 507:
      return "the storage is full";
    // What is no WebDAV address was found out before; rclone's server says so where its disk is full.
    case 405:
      if (method === "PUT") return `does not take the file (${status}): its disk may be full, or read-only`;
      return `answers ${method} with ${status}: \`url\` is no WebDAV address`;
    default:
      if (status >= 300 && status < 400) return `sends on to another address (${status}): correct \`url\``;
      return `answers ${method} with ${status}`;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const failed = (target: Target, what: string): HubError =>
  new HubError("upstream_failed", `${addressOf(target)}: ${what}`);

function inWords(target: Target, error: unknown): HubError {
  if (error instanceof HubError) return error;
  const code = systemCode(error) ?? (error instanceof Error ? error.name : "");
  const mend = isUntrusted(code) ? ": save the one that signed it as a file, and name that as tls_ca" : "";
  const words = networkWords(code);
  if (words !== undefined) return failed(target, words + mend);
  return failed(target, messageOf(error).replaceAll(target.password, "•••").slice(0, 200));
}
