// Asks a hub on this machine for its /health, as any client would. Not with fetch, which would use the proxy that the environment
// may name.
import { isObject } from "../../../kit/schema/json.ts";

export interface HealthAddress {
  /** `[server] host`. */
  host: string;
  port: number;
  tls: boolean;
}

export interface Health {
  version: string;
  uptimeSecs: number;
  /** Whether all of it has started, and no part is off. */
  ready: boolean;
}

/** Where a hub with this `[server]` section answers; `port` is the actual one where the section takes any. */
export function healthAddress(
  { server }: { server: { host: string; port: number; tls_cert?: string } },
  port = server.port,
): HealthAddress {
  return { host: server.host, port, tls: server.tls_cert !== undefined };
}

/** Undefined when the hub gives no valid answer in time. */
export async function askHealth({ host, port, tls }: HealthAddress, withinMs: number): Promise<Health | undefined> {
  // Loaded here: together they take a third of what a bare program needs to start.
  const [{ get: getHttp }, { get: getHttps }] = await Promise.all([import("node:http"), import("node:https")]);
  const signal = AbortSignal.timeout(Math.max(1, withinMs));
  const answered = await ask(tls ? getHttps : getHttp, { host: reachable(host), port, signal });
  // A hub whose certificate cannot be used answers without TLS, and only on this machine.
  return answered ?? (tls && !signal.aborted ? ask(getHttp, { host: "127.0.0.1", port, signal }) : undefined);
}

function ask(
  get: typeof import("node:http").get | typeof import("node:https").get,
  to: { host: string; port: number; signal: AbortSignal },
): Promise<Health | undefined> {
  const options = {
    ...to,
    path: "/api/v1/health",
    agent: false,
    // Its certificate is for the name that other machines use.
    rejectUnauthorized: false,
  };
  return new Promise((resolve) => {
    const nothing = (): void => resolve(undefined);
    const request = get(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (more: string) => {
        text += more;
        if (text.length > 10_000) request.destroy();
      });
      response.on("end", () => resolve(parseHealth(text)));
      response.on("error", nothing);
      response.on("close", nothing);
    });
    request.on("error", nothing);
  });
}

function parseHealth(text: string): Health | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (!isObject(body) || typeof body.version !== "string") return undefined;
    // In a safe start the hub does its work as well as it can.
    if (body.status !== "ok" && body.status !== "degraded") return undefined;
    return { version: body.version, uptimeSecs: Number(body.uptime_secs), ready: body.ready !== false };
  } catch {
    return undefined;
  }
}

function reachable(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
}
