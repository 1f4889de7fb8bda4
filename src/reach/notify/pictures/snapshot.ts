// A camera's picture from the address that its device gives: bounded, never from a service of the hub's own machine unless a person
// named it, wherever redirects lead. The user and password of the address go into the login that the camera asks for.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { HubError, systemCode } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";
import { MAX_PICTURE_BYTES } from "../../../kit/text/picture-type.ts";
import { isLocalAddress } from "../http/local-address.ts";
import type { Logins } from "./logins.ts";

/** Attributes that hold the address of a picture, the first that does so counts. */
const SNAPSHOT_ATTRIBUTES = [
  "snapshot_url",
  "picture_url",
  "image_url",
  "entity_picture",
  "snapshot",
  "picture",
  "image",
] as const;

export interface PicturedDevice {
  readonly attributes: Readonly<Record<string, Json | undefined>>;
}

/** Throws HubError `not_found` or `invalid`. */
export function snapshotUrl(device: PicturedDevice | undefined, { id, attribute }: SnapshotOf): URL {
  if (!device) throw new HubError("not_found", `there is no device "${id}"`);
  const { attributes } = device;
  const names = attribute === undefined ? SNAPSHOT_ATTRIBUTES : [attribute];
  const given = names.map((name) => attributes[name]).find((value) => typeof value === "string" && value !== "");
  if (typeof given !== "string") {
    const [shown, which] =
      attribute === undefined
        ? ["picture", `attribute ${SNAPSHOT_ATTRIBUTES.join(", ")}`]
        : [`picture "${attribute}"`, `text in "${attribute}"`];
    throw new HubError("not_found", `the device "${id}" has shown no ${shown} that is kept, and has no ${which}`);
  }
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new HubError("invalid", `what the device "${id}" gives is not the http address of a picture`);
}

export interface SnapshotOf {
  readonly id: string;
  readonly attribute: string | undefined;
}

export interface SnapshotDeps {
  fetch: typeof fetch;
  /** Services of this machine that may be asked, `host` or `host:port`. */
  hosts: readonly string[];
  logins: Logins;
}

const MAX_REDIRECTS = 3;

/** Throws HubError; the address is not in its message, as it may hold a password. */
export async function fetchSnapshot(given: URL, deps: SnapshotDeps, signal: AbortSignal): Promise<Buffer> {
  let url = given;
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await answerOf(url, deps, signal);
      if (response.status < 300 || response.status >= 400) return await pictureIn(response, url);
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS)
        throw new HubError("upstream_failed", `${given.host} redirects more than ${MAX_REDIRECTS} times`);
      url = nextOf(url, response.headers.get("location") ?? "");
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError("upstream_failed", `${url.host}: ${systemCode(error) ?? "no answer"}`);
  }
}

async function answerOf(url: URL, { fetch, hosts, logins }: SnapshotDeps, signal: AbortSignal): Promise<Response> {
  const address = await addressOf(url, hosts);
  return logins.ask(url, (login) => fetch(...requestOf(url, { address, login, signal })));
}

/** Where a redirect leads. Only the camera itself gets the login again. */
function nextOf(url: URL, location: string): URL {
  const next = URL.parse(location, url.href);
  if (!next || !/^https?:$/.test(next.protocol))
    throw new HubError("upstream_failed", `${url.host} redirects to what is no http address`);
  if (next.origin === url.origin && next.username === "") {
    next.username = url.username;
    next.password = url.password;
  }
  return next;
}

async function pictureIn(response: Response, url: URL): Promise<Buffer> {
  if (response.status === 401) throw new HubError("upstream_failed", `${url.host} ${loginWords(url)}`);
  if (!response.ok) throw new HubError("upstream_failed", `${url.host} answered with status ${response.status}`);
  return bodyOf(response, url.host);
}

/**
 * Without encryption the request goes to the very address that was checked, as a name could change in between. With it, the
 * certificate has to be that of the name.
 */
function requestOf(
  given: URL,
  { address, login, signal }: { address: string; login: string | undefined; signal: AbortSignal },
): [URL, RequestInit] {
  const url = new URL(given);
  const { host } = url;
  const headers: Record<string, string> = { accept: "image/*", ...(login !== undefined && { authorization: login }) };
  url.username = "";
  url.password = "";
  if (url.protocol === "http:") {
    headers.host = host;
    url.hostname = address.includes(":") ? `[${address}]` : address;
  }
  return [url, { headers, redirect: "manual", signal }];
}

function loginWords({ username }: URL): string {
  return username === ""
    ? "wants a login: give the address as http://user:password@camera/…"
    : "refuses the user and password in the address, or wants a login that is neither Digest nor Basic";
}

async function bodyOf(response: Response, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_PICTURE_BYTES) throw tooLarge(host);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function tooLarge(what: string): HubError {
  return new HubError("too_large", `the picture of ${what} is larger than ${MAX_PICTURE_BYTES / 1_048_576} MB`);
}

/**
 * An address of the host to connect to. Throws HubError `invalid` for this machine's own, unless `named` has the host, with or
 * without its port.
 */
async function addressOf({ hostname, host, port, protocol }: URL, named: readonly string[]): Promise<string> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) ? [bare] : (await lookup(bare, { all: true })).map(({ address }) => address);
  const [first] = addresses;
  if (first === undefined) throw new HubError("upstream_failed", `${bare} has no address`);
  const withPort = `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
  if (named.some((each) => each === hostname || each === host || each === withPort)) return first;
  if (!addresses.some((address) => isLocalAddress(address))) return first;
  const hint = `name it in hub.toml, [notify] picture_hosts = ["${withPort}"]`;
  throw new HubError("invalid", `${withPort} is a service of this machine itself; if it is meant, ${hint}`);
}
