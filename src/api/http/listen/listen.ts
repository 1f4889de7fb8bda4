// Opens the port; an error where another program has it. With a certificate that cannot be used the API answers this machine only
// until the certificate is repaired: it is never served without TLS to other machines.
import type { Server } from "bun";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import { addressSet } from "../../../kit/text/addresses.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { App } from "../app.ts";
import type { ServerSection } from "../config.ts";
import { BEHIND_LIMIT_BYTES, type SocketHandlers } from "../stream/hub-stream.ts";
import { type ReadCertificate, readCertificate, timeProblem } from "./certificate.ts";
import { limitConnections } from "./connection-limit.ts";
import { readOpenConnections } from "./open-connections.ts";

// Bun refuses a larger body without a reason. The router's own limit comes first and gives one.
const MAX_BODY_BYTES = 1024 ** 4;
const RELOAD_MS = 5000;
const THIS_MACHINE = "127.0.0.1";

// Each socket brings its own handlers.
const websocket: Bun.WebSocketHandler<SocketHandlers> = {
  maxPayloadLength: 16 * 1024,
  idleTimeout: 75,
  // Above the stream's own limit, so that the sweep can close a slow reader with a reason; memory is bounded either way.
  backpressureLimit: 2 * BEHIND_LIMIT_BYTES,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
  open: (socket) => socket.data.open(socket),
  message: (socket, text) => socket.data.message(socket, text),
  drain: (socket) => socket.data.drain(),
  close: (socket, code) => socket.data.close(socket, code),
  ping: (socket) => socket.data.ping(),
  pong: (socket) => socket.data.pong(),
};

export interface Listener extends AsyncDisposable {
  readonly port: number;
  readonly host: string;
  publish(topic: string, text: string): void;
  /** What is wrong with the certificate now. */
  problem(): string | undefined;
}

export interface ListenOptions {
  config: ServerSection;
  /** Makes the paths of certificate and key absolute. */
  resolvePath: (path: string) => string;
  clock: Clock;
  log: Log;
  limits: Limits;
}

interface Binding {
  host: string;
  port: number;
  tls?: { cert: string; key: string };
}

/** Throws HubError `in_use` or `config`. */
export function listen(app: App, { config, resolvePath, clock, log, limits }: ListenOptions): Listener {
  const read = (): ReadCertificate | undefined => readCertificate(config, resolvePath);
  let certificate = read();
  let at = open(app, bindingFor(config, certificate));
  app.router.onDeclared(() => at.server.reload(answering(app)));
  let reloading = Promise.resolve();
  let stopped = false;

  /** Closes the port and opens it again: clients have to reconnect. */
  async function reload(): Promise<void> {
    const valid = read();
    if (stopped || certificate?.ok !== false || !valid?.ok) return;
    await at.server.stop(true);
    if (stopped) return;
    try {
      at = open(app, { ...bindingFor(config, valid), port: at.port });
      certificate = valid;
      log.info("the certificate is valid again, the API answers all machines", { host: at.host, port: at.port });
    } catch (error) {
      log.error("the API cannot listen with the new certificate", { error: messageOf(error) });
      at = open(app, { host: THIS_MACHINE, port: at.port });
    }
  }

  const timer = certificate?.ok === false ? clock.every("certificate", RELOAD_MS, reloadInTurn) : undefined;
  function reloadInTurn(): void {
    if (certificate?.ok !== false) timer?.[Symbol.dispose]();
    else {
      reloading = reloading.catch(() => {}).then(reload);
      background(log, "certificate", reloading);
    }
  }

  function problem(): string | undefined {
    if (certificate?.ok !== false) {
      const found = timeProblem(certificate, clock.now());
      return found && `${found.path}: ${found.message}`;
    }
    const { path, message } = certificate.problem;
    return `${path}: ${message}; until this is fixed, the API answers this machine only, at http://${THIS_MACHINE}:${at.port}`;
  }

  const connections = readOpenConnections();
  const proxies = addressSet(config.trusted_proxies);
  const limiting = connections && limitConnections({ connections, port: () => at.port, proxies, clock, limits });

  const wrong = problem();
  if (wrong !== undefined) log.error("there is a problem with the certificate", { problem: wrong });
  return {
    get port() {
      return at.port;
    },
    get host() {
      return at.host;
    },
    publish: (topic, text) => void at.server.publish(topic, text),
    problem,
    async [Symbol.asyncDispose]() {
      stopped = true;
      timer?.[Symbol.dispose]();
      limiting?.[Symbol.dispose]();
      await reloading.catch(() => {});
      await at.server.stop(true);
    },
  };
}

function bindingFor({ host, port }: ServerSection, certificate: ReadCertificate | undefined): Binding {
  if (!certificate) return { host, port };
  return certificate.ok
    ? { host, port, tls: { cert: certificate.cert, key: certificate.key } }
    : { host: THIS_MACHINE, port };
}

interface Opened {
  host: string;
  port: number;
  server: Server<SocketHandlers>;
}

/** What `Bun.serve` answers with: the routes as they are declared now. */
function answering({ router: { routes, fetch } }: App): Bun.Serve.Options<SocketHandlers> {
  return { routes, fetch, websocket } as Bun.Serve.Options<SocketHandlers>;
}

function open(app: App, { host, port, tls }: Binding): Opened {
  let server: Server<SocketHandlers>;
  try {
    server = Bun.serve({
      ...answering(app),
      hostname: host,
      port,
      reusePort: false,
      // No error page with source lines, as Bun shows to developers.
      development: false,
      maxRequestBodySize: MAX_BODY_BYTES,
      ...(tls ? { tls } : {}),
    } as Bun.Serve.Options<SocketHandlers>);
  } catch (error) {
    throw explain(error, host, port);
  }
  app.serve(server);
  return { host, port: server.port ?? port, server };
}

function explain(error: unknown, host: string, port: number): unknown {
  const code = systemCode(error);
  if (code === "EADDRINUSE") {
    return new HubError("in_use", `port ${port} is used by another program: stop it, or set another [server] port`, {
      cause: error,
    });
  }
  if (code === "EACCES")
    return new HubError(
      "config",
      `this user may not listen on port ${port}: ports below 1024 need root; set another [server] port`,
      { cause: error },
    );
  return new HubError("config", `cannot listen on ${host}:${port}: ${messageOf(error)}; check [server] host and port`, {
    cause: error,
  });
}
