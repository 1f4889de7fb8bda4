// The small server of a machine that is not the hub, at the hub's address: whether it is well, what it is, and for whoever has the
// key of the pair also that it be promoted.

import { problemResponse } from "../../../api/http/errors.ts";
import { readCertificate } from "../../../api/http/listen/certificate.ts";
import { hasKey } from "../../../copies/standby/follow/hand-over.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { HubConfig } from "../../config/sections.ts";
import { hubVersion } from "../version.ts";
import type { Roles } from "./context.ts";
import { notTheHub, standbyPage } from "./page.ts";
import { type Acting, lineOf } from "./present.ts";

export interface RoleServer extends AsyncDisposable {
  readonly port: number;
  readonly tls: boolean;
}

const MAX_BODY_BYTES = 256 * 1_048_576;

/** Throws HubError `in_use` or `config` where it cannot listen. */
export function openRoleServer(
  { home, port, key, log }: Roles,
  server: HubConfig["server"],
  acting: Acting,
): RoleServer {
  const certificate = readCertificate(server, home.resolve);
  if (certificate?.ok === false)
    log.error("the certificate cannot be used, so only this machine is answered", {
      problem: certificate.problem.message,
    });
  const begun = performance.now();
  const opened = serve();

  function serve(): Bun.Server<undefined> {
    const wanted = server.port || (port ?? 0);
    try {
      return Bun.serve({
        hostname: certificate?.ok === false ? "127.0.0.1" : server.host,
        port: wanted,
        development: false,
        maxRequestBodySize: MAX_BODY_BYTES,
        idleTimeout: 60,
        ...(certificate?.ok && { tls: { cert: certificate.cert, key: certificate.key } }),
        fetch: (request) => answer(request).catch((error: unknown) => refused(error, request)),
      });
    } catch (error) {
      throw new HubError(
        "in_use",
        `cannot listen on ${server.host}:${wanted}: ${messageOf(error)}; stop what uses it, or set another [server] port`,
        { cause: error },
      );
    }
  }

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const route = `${request.method} ${path}`;
    if (route === "GET /api/v1/health") return health();
    const special = acting.answer?.(request, path);
    if (special !== undefined) return await special;
    if (route === "GET /api/v1/standby") {
      assertKey(request);
      return Response.json(acting.details?.() ?? acting.present(), { headers: { "cache-control": "no-store" } });
    }
    if (route === "POST /api/v1/standby/promote") {
      assertKey(request);
      const body = parseJson(await request.text());
      const force = body.ok && isObject(body.value) && body.value.force === true;
      const message = await acting.promote?.(force);
      if (message === undefined)
        throw new HubError("conflict", `this machine is no standby: ${lineOf(acting.present())}`);
      return Response.json({ message }, { status: 202 });
    }
    const isPage =
      request.method === "GET" && !path.startsWith("/api/") && /text\/html/.test(request.headers.get("accept") ?? "");
    const present = acting.present();
    return isPage ? standbyPage(present, request.headers.get("accept-language") ?? "") : notTheHub(present);
  }

  function assertKey(request: Request): void {
    const known = key();
    if (known === undefined || !hasKey(request, known))
      throw new HubError(
        "unauthenticated",
        "this is for the other machine of the house: see `hub standby status` on this one",
      );
  }

  /** As a hub answers, and what it is beside. */
  function health(): Response {
    const { role, hub, behindSecs, problem } = acting.present();
    const standby = {
      hub: hub?.address ?? null,
      behind_secs: behindSecs === undefined ? null : Math.round(behindSecs),
      problem: problem ?? null,
    };
    const uptime = Math.floor((performance.now() - begun) / 1000);
    const body = { status: "ok", version: hubVersion, uptime_secs: uptime, ready: role === "standby", role, standby };
    return Response.json(body, { status: role === "waiting" ? 503 : 200, headers: { "cache-control": "no-store" } });
  }

  function refused(error: unknown, request: Request): Response {
    if (!(error instanceof HubError)) log.error("a request failed", { error: messageOf(error) });
    const known =
      error instanceof HubError ? error : new HubError("unavailable", "something went wrong; the log says what");
    return problemResponse(known, new URL(request.url).pathname);
  }

  return {
    port: opened.port ?? 0,
    tls: certificate?.ok === true,
    async [Symbol.asyncDispose]() {
      await opened.stop(true);
    },
  };
}
