// Where the external broker is, and the bytes to and from it: over TCP, TLS or a WebSocket.
import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import type { MqttClient } from "mqtt";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { MqttSection } from "../config.ts";
import { isSecure } from "./config.ts";
import { ConnectError } from "./failure.ts";

export interface Login {
  username?: string | undefined;
  password?: string | undefined;
}

export interface Endpoint {
  /** Without credentials. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** What is in the file `[mqtt] ca`. Throws ConnectError where it cannot be read. */
  ca(): string | undefined;
  /** The hub's own account. */
  readonly login: Login;
  /**
   * Makes the stream of a connection. Certificates are read anew each time, because they are renewed.
   * Throws ConnectError where one cannot be read.
   */
  stream(onError: (error: unknown) => void): Promise<(client: MqttClient) => Duplex>;
}

const PORTS: Readonly<Record<string, number>> = { "mqtt:": 1883, "mqtts:": 8883, "ws:": 80, "wss:": 443 };
const FILES = ["ca", "cert", "key"] as const;

/** Of the broker, or of each node of its cluster. */
export function createEndpoints(config: MqttSection, resolvePath: (path: string) => string): [Endpoint, ...Endpoint[]] {
  const { url = "", more_urls } = config;
  const endpoint = (one: string): Endpoint => createEndpoint(new URL(one), config, resolvePath);
  return [endpoint(url), ...more_urls.map(endpoint)];
}

function createEndpoint(url: URL, config: MqttSection, resolvePath: (path: string) => string): Endpoint {
  const port = Number(url.port) || (PORTS[url.protocol] ?? 1883);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const { username, password, ca } = config;

  function certificates(): { [name: string]: Buffer } {
    return Object.fromEntries(
      FILES.flatMap((name) => {
        const path = config[name];
        return path === undefined ? [] : [[name, readPem(name, resolvePath(path))]];
      }),
    );
  }

  return {
    url: url.href.replace(/\/$/, ""),
    host,
    port,
    ca: () => (ca === undefined ? undefined : readPem("ca", resolvePath(ca)).toString()),
    login: { username, password },
    async stream(onError) {
      const tls = isSecure(url) ? certificates() : undefined;
      if (url.protocol.startsWith("ws")) return webSocket(url, tls, onError);
      if (!tls) {
        const { connect } = await import("node:net");
        return () => connect({ host, port, noDelay: true });
      }
      const { connect } = await import("node:tls");
      const { isIP } = await import("node:net");
      return () => connect({ host, port, ...(isIP(host) === 0 && { servername: host }), ...tls });
    },
  };
}

/** The library's own way is for Node's `ws`, which Bun has in parts. */
async function webSocket(url: URL, tls: { [name: string]: Buffer } | undefined, onError: (error: unknown) => void) {
  const { browserStreamBuilder } = await import("mqtt/lib/connect/ws");
  const createWebsocket = (_address: string, protocols: string[]): WebSocket => {
    const socket = new WebSocket(url.href, { protocols, ...(tls && { tls }) });
    socket.addEventListener("error", (event) => onError(new Error((event as ErrorEvent).message)));
    return socket;
  };
  const address = { hostname: url.hostname, path: url.pathname + url.search, port: Number(url.port) };
  return (client: MqttClient): Duplex =>
    browserStreamBuilder(client, { ...client.options, ...address, createWebsocket } as never) as Duplex;
}

function readPem(key: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConnectError("files", `[mqtt] ${key} cannot be read: ${messageOf(error)}`);
  }
}
