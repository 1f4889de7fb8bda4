// Asks the other machine of the house, over one kept connection. Not with fetch, which would use the proxy that the environment may
// name, and keeps no connection to a certificate that it was ordered to trust.
import { Agent, type ClientRequestArgs, request as requestHttp } from "node:http";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect, type TLSSocket } from "node:tls";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type Json, parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";

/** Which certificates of an https address are the other machine's: one that an authority signed for that name, or one of these. */
export interface Trust {
  /** In PEM form; instead of the authorities that everybody knows. */
  ca?: string | undefined;
  /** SHA-256, as `fingerprintOf` writes it. */
  fingerprints: readonly string[];
}

export interface Asking {
  /** Opens the routes for machines. */
  key?: string | undefined;
  body?: object | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Without a single byte. */
  silentMs?: number;
  maxBytes?: number;
  signal?: AbortSignal | undefined;
}

export interface LinkAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
}

export interface HubLink extends Disposable {
  readonly origin: string;
  /** Rejects with HubError `unavailable` where it does not answer, `forbidden` where its certificate is not known. */
  send(method: "GET" | "POST", path: string, asking?: Asking): Promise<LinkAnswer>;
  /** The same, for JSON. Rejects as well with what the other machine says where it refuses. */
  ask(method: "GET" | "POST", path: string, asking?: Asking): Promise<Json>;
}

const SILENT_MS = 10_000;
const MAX_JSON_BYTES = 4 * 1_048_576;

/** Throws HubError `invalid` for an address that cannot be used. */
export function openHubLink(address: string, trust: Trust, clock: Clock): HubLink {
  const base = parseAddress(address);
  const agent = base.protocol === "https:" ? new TlsAgent(trust) : new Agent({ keepAlive: true, maxSockets: 2 });
  const { origin } = base;

  async function send(method: string, path: string, asking: Asking = {}): Promise<LinkAnswer> {
    const { key, body, headers = {}, silentMs = SILENT_MS, maxBytes = MAX_JSON_BYTES, signal } = asking;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const silent = new AbortController();
    let timer = clock.after("silence of the other machine", silentMs, () => silent.abort());
    const restartTimer = (): void => {
      timer[Symbol.dispose]();
      timer = clock.after("silence of the other machine", silentMs, () => silent.abort());
    };
    const fail = (error: unknown): HubError => {
      if (error instanceof HubError) return error;
      const why = silent.signal.aborted ? `it was silent for ${Math.round(silentMs / 1000)} s` : messageOf(error);
      return new HubError("unavailable", `no answer from ${origin}: ${why}`, { cause: error });
    };
    try {
      return await exchange({
        // The agent makes the connection, with TLS where the address says so.
        url: {
          protocol: "http:",
          hostname: bare(base.hostname),
          port: base.port || defaultPort(base),
          path: `/api/v1${path}`,
        },
        options: {
          method,
          agent,
          signal: signal ? AbortSignal.any([signal, silent.signal]) : silent.signal,
          headers: {
            host: base.host,
            "accept-encoding": "identity",
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...(text !== undefined && {
              "content-type": "application/json",
              "content-length": String(Buffer.byteLength(text)),
            }),
            ...headers,
          },
        },
        ...{ text, maxBytes, restartTimer },
      });
    } catch (error) {
      throw fail(error);
    } finally {
      timer[Symbol.dispose]();
    }
  }

  return {
    origin,
    send,
    async ask(method, path, asking) {
      const { status, bytes } = await send(method, path, asking);
      const parsed = parseJson(bytes.toString("utf8"), 64);
      if (!parsed.ok) throw new HubError("upstream_failed", `what answers at ${origin} is not a hub`);
      if (status < 300) return parsed.value;
      throw refusalOf(status, parsed.value, origin);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** What the other machine says, with its status in `details`. */
export function refusalOf(status: number, body: unknown, origin: string): HubError {
  const detail = isObject(body) && typeof body.detail === "string" ? body.detail : `the status ${status}`;
  const code =
    status === 401 ? "unauthenticated" : status === 404 ? "not_found" : status === 409 ? "conflict" : "upstream_failed";
  return new HubError(code, `${origin} answers: ${detail}`, { details: { status } });
}

/** Throws HubError `invalid`. */
export function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.username !== "" || url.pathname !== "/")
    throw new HubError("invalid", `"${address}" is not an address such as http://192.168.1.20:8080`);
  return url;
}

/** `ab:cd:…`, of what people and programs write in several ways; undefined where it is none. */
export function fingerprintOf(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^sha-?256[ =:]*(fingerprint=)?/i, "")
    .replaceAll(/[:\s]/g, "")
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? (digits.match(/../g) ?? []).join(":") : undefined;
}

interface Exchange {
  url: { protocol: string; hostname: string; port: string; path: string };
  options: { method: string; agent: Agent; signal: AbortSignal; headers: Record<string, string> };
  text: string | undefined;
  maxBytes: number;
  restartTimer: () => void;
}

function exchange({ url, options, text, maxBytes, restartTimer }: Exchange): Promise<LinkAnswer> {
  return new Promise((resolve, reject) => {
    const sent = requestHttp({ ...url, ...options }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      restartTimer();
      response.on("data", (chunk: Buffer) => {
        restartTimer();
        bytes += chunk.length;
        if (bytes > maxBytes) sent.destroy(new Error("its answer is too large"));
        else chunks.push(chunk);
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
      response.on("error", reject);
      response.on("aborted", () => reject(new Error("it closed the connection")));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

/** Hands over a connection only once it is known whose it is: the key is for the other machine alone. */
class TlsAgent extends Agent {
  readonly #trust: Trust;

  constructor(trust: Trust) {
    super({ keepAlive: true, maxSockets: 2 });
    this.#trust = trust;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): null {
    const name = bare(host ?? "");
    const { ca } = this.#trust;
    // Addresses have no name to say.
    const isName = /[a-z]/i.test(name) && !name.includes(":");
    const options = { host: name, port: Number(port), rejectUnauthorized: false, ...(ca && { ca }) };
    const socket = connect({ ...options, ...(isName && { servername: name }) }, () => {
      const refused = whyRefused(socket, name, this.#trust);
      if (refused) socket.destroy();
      done?.(refused ?? null, socket);
    });
    socket.on("error", (error) => done?.(error, socket));
    return null;
  }
}

function whyRefused(socket: TLSSocket, host: string, { fingerprints }: Trust): HubError | undefined {
  const certificate = socket.getPeerCertificate();
  const fingerprint = fingerprintOf(certificate.fingerprint256 ?? "");
  if (fingerprint !== undefined && fingerprints.includes(fingerprint)) return undefined;
  const reason = socket.authorized
    ? checkServerIdentity(host, certificate)?.message
    : String(socket.authorizationError);
  if (reason === undefined) return undefined;
  return new HubError("forbidden", `the certificate of ${host} is not known here (${reason})`, {
    details: { fingerprint },
  });
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function defaultPort({ protocol }: URL): string {
  return protocol === "https:" ? "443" : "80";
}
