// Opens the port. Refuses where somebody else has it, and stops in bounded time.
import { readFileSync } from "node:fs";
import type { Server } from "bun";
import type { ServerSection } from "../config/server.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { App } from "./app.ts";
import { BEHIND_LIMIT_BYTES, type SocketHandlers } from "./stream/hub-stream.ts";

// Bun refuses what is larger than this without a word; the door's own limit comes first and says why.
const LARGEST_BODY_BYTES = 1024 ** 4;

// Each socket brings its own handlers.
const websocket: Bun.WebSocketHandler<SocketHandlers> = {
  maxPayloadLength: 16 * 1024,
  idleTimeout: 75,
  // Above the polite limit, so that a sweep can still say why; memory stays bounded either way.
  backpressureLimit: 2 * BEHIND_LIMIT_BYTES,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
  open: (socket) => socket.data.open(socket),
  message: (socket) => socket.data.message(),
  drain: (socket) => socket.data.drain(),
  close: (socket, code) => socket.data.close(socket, code),
  ping: (socket) => socket.data.ping(),
  pong: (socket) => socket.data.pong(),
};

export interface Listener extends AsyncDisposable {
  readonly port: number;
  publish(topic: string, text: string): void;
}

/** `resolvePath` makes the paths of certificate and key absolute. Throws HubError `in_use` or `config`. */
export function listen(app: App, config: ServerSection, resolvePath: (path: string) => string): Listener {
  const { host, port } = config;
  const tls = readTls(config, resolvePath);
  let server: Server<SocketHandlers>;
  try {
    server = Bun.serve({
      ...app.door,
      hostname: host,
      port,
      reusePort: false,
      // Never the page with source lines that Bun shows to developers.
      development: false,
      maxRequestBodySize: LARGEST_BODY_BYTES,
      websocket,
      ...(tls ? { tls } : {}),
    } as Bun.Serve.Options<SocketHandlers>);
  } catch (error) {
    throw explain(error, host, port);
  }
  app.serve(server);
  return {
    port: server.port ?? port,
    publish: (topic, text) => void server.publish(topic, text),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

function readTls({ tls_cert, tls_key }: ServerSection, resolvePath: (path: string) => string) {
  if (!tls_cert || !tls_key) return undefined;
  const read = (name: string, path: string): string => {
    try {
      return readFileSync(resolvePath(path), "utf8");
    } catch (error) {
      throw new HubError("config", `server.${name}: ${resolvePath(path)} cannot be read: ${messageOf(error)}`);
    }
  };
  return { cert: read("tls_cert", tls_cert), key: read("tls_key", tls_key) };
}

function explain(error: unknown, host: string, port: number): unknown {
  const code = systemCode(error);
  if (code === "EADDRINUSE") {
    return new HubError("in_use", `port ${port} is taken by another program: stop it, or set another [server] port`, {
      cause: error,
    });
  }
  if (code === "EACCES")
    return new HubError(
      "config",
      `this user may not listen on port ${port}: ports below 1024 are root's; set another [server] port`,
      { cause: error },
    );
  return new HubError("config", `cannot listen on ${host}:${port}: ${messageOf(error)}; check [server] host and port`, {
    cause: error,
  });
}
