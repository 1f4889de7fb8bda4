// /standby: pairing with the second machine of the house, what that copies, and handing over to it. It has a key of its own, which
// opens nothing else.
import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HandbackRequest } from "../../../copies/standby/handback.ts";
import { HistoryRequest, SyncRequest } from "../../../copies/standby/protocol.ts";
import { isStandbyKey } from "../../../copies/standby/source/pairing.ts";
import type { SecondMachine } from "../../../copies/standby/source/second-machine.ts";
import type { Standing } from "../../../copies/standby/standing.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isLoopback } from "../../../kit/text/addresses.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Audit, AuditActor } from "../../../server/auth/audit.ts";
import { createLoginLimit } from "../../../server/auth/login-limit.ts";
import { allows, type Role } from "../../../server/auth/roles.ts";
import { jsonBody, keepOpen } from "../body.ts";
import { type Callers, createBearerReader, type PeerSource } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { HandbackResult, Paired, PairRequest, Place, placeOf, readAs } from "./standby-bodies.ts";

export interface StandbyRoutesDeps {
  secondMachine: Omit<SecondMachine, typeof Symbol.dispose>;
  /** Undefined where this machine had no lease, and was not paired, when its hub started. */
  standing: () => Standing | undefined;
  hasLease: boolean;
  pairingRestart: PairingRestart;
  version: string;
  callers: Pick<Callers, "addressOf" | "identify">;
  audit: Pick<Audit, "record">;
  clock: Clock;
}

/** For a hub that did not know at its start of another machine, or of the lease that hub.toml names by now. */
export interface PairingRestart {
  /** hub.toml names a lease, and did not at the start. */
  leaseWaits(): boolean;
  isNeeded(): boolean;
  /** Rejects with HubError `conflict` where the hub would not come back. */
  assertStartable(): Promise<void>;
  restart(): void;
}

interface Call {
  request: Request;
  server: PeerSource | null;
}

const MAX_REQUEST = 16 * 1_048_576;
const NOT_STORED = { "cache-control": "no-store" };
const COPY = { "content-type": "application/zstd", ...NOT_STORED };
const RECORDS = { contentType: "application/zstd", schema: Type.String() };

export function standbyRoutes({
  secondMachine: second,
  standing,
  hasLease,
  pairingRestart,
  version,
  ...deps
}: StandbyRoutesDeps) {
  const { callers, audit, clock } = deps;
  const tag = "standby";
  const limit = createLoginLimit({ clock, exempt: isLoopback });
  const bearerOf = createBearerReader();
  /** Pairings after which the hub starts again. */
  const restarting = new WeakSet<Request>();

  /** Throws where the request has not got the standby's key, and after too many that had not. */
  function checkKey({ request, server }: Call): void {
    const attempt = limit.begin(callers.addressOf(request, server), "standby");
    second.check(bearerOf(request));
    attempt.succeed();
  }

  /** The standby by its key, or somebody of this role. */
  function callerOf({ request, server }: Call, least: Role): AuditActor {
    const bearer = bearerOf(request);
    if (bearer !== undefined && isStandbyKey(bearer)) {
      checkKey({ request, server });
      const { id, name } = second.status()?.machine ?? { id: "", name: "" };
      return { kind: "standby", id, name };
    }
    const { kind, id, name, role, mcp } = callers.identify(request, callers.addressOf(request, server), bearer);
    if (mcp) throw new HubError("forbidden", "this API key is for MCP: it opens /mcp and nothing else");
    if (!allows(role, least)) throw new HubError("forbidden", `this needs the role ${least}; yours is ${role}`);
    return { kind, id, name };
  }

  /** For the standby alone: what it asks is read once its key is known to be right. */
  const forStandby = (
    summary: string,
    answer: { description: string; contentType: string; schema: TSchema },
    acts = false,
  ) => ({
    parse: "none" as const,
    ...doc({
      access: "public",
      needs: "key",
      unlimited: true,
      acts,
      keeps: false,
      summary: `${summary}, for the standby with the key of its pairing`,
      tag,
      maxBody: MAX_REQUEST,
      answers: { 200: answer },
      rawBody: { description: "JSON: what it has", contentType: "*/*", required: true },
      refusals: {
        unauthenticated: "It is not the key of the house's standby",
        rate_limited: "Too many wrong keys from this address",
        conflict: "Another machine uses the same key",
        unavailable: "Reading takes too long, or the hub is stopping",
      },
    }),
  });

  return new Elysia({ prefix: "/standby" })
    .get(
      "",
      function look({ request, server }) {
        callerOf({ request, server }, "viewer");
        return { ...placeOf(second, standing()), lease_waits: pairingRestart.leaseWaits() };
      },
      doc({
        access: "public",
        needs: "viewer",
        unlimited: true,
        summary: "Which machine is the hub, and which its standby, for viewers, and for the standby with its key",
        tag,
        answers: { 200: { description: "As this machine knows it", schema: Place } },
        refusals: {
          unauthenticated: "Neither a token nor the key of the house's standby",
          forbidden: "The key is for MCP",
          rate_limited: "Too many wrong keys from this address",
        },
      }),
    )
    .delete(
      "",
      () => noContent(() => second.forget()),
      doc({
        access: "admin",
        needsToken: true,
        audit: "standby.forget",
        summary: "Forget the standby: its key ends",
        tag,
        answers: { 204: { description: "There is none any more" } },
      }),
    )
    .post(
      "/confirm",
      // As everything that acts, its answer waits for the standby.
      () => ({ confirmed: true as const }),
      doc({
        access: "admin",
        summary: "Wait until the standby has all that was changed so far, where [standby] acknowledge says so",
        tag,
        answers: {
          200: {
            description: "It has it, or nobody waits for it",
            schema: Type.Object({ confirmed: Type.Literal(true) }),
          },
        },
      }),
    )
    .post(
      "/pair",
      async function pair({ body: { machine, replace = false }, request }) {
        const restarts = pairingRestart.isNeeded();
        if (restarts) await pairingRestart.assertStartable();
        const key = second.pair(machine, replace);
        if (restarts) restarting.add(request);
        return { key, version, lease: hasLease || pairingRestart.leaseWaits(), restarts };
      },
      {
        afterResponse({ request }: { request: Request }) {
          if (restarting.delete(request)) pairingRestart.restart();
        },
        ...jsonBody(PairRequest),
        ...doc({
          access: "admin",
          needsToken: true,
          audit: "standby.pair",
          keeps: false,
          summary: "Make a machine the standby of this hub",
          tag,
          answers: { 200: { description: "Its key; that of an earlier standby ends", schema: Paired } },
          refusals: {
            conflict:
              "Another standby was heard just now, the machine is this one, or this hub would have to start again and could not",
          },
        }),
      },
    )
    .post(
      "/sync",
      async function sync({ request, server }) {
        checkKey({ request, server });
        keepOpen(server, request);
        return new Response(await second.sync(await readAs(SyncRequest, request)), { headers: COPY });
      },
      forStandby("What has changed", { description: "Records: see src/copies/standby/protocol.ts", ...RECORDS }),
    )
    .post(
      "/history",
      async function history({ request, server }) {
        checkKey({ request, server });
        keepOpen(server, request);
        return new Response(await second.history(await readAs(HistoryRequest, request)), { headers: COPY });
      },
      forStandby("A page of the recorded history", {
        description: "JSON: see src/copies/standby/protocol.ts",
        ...RECORDS,
      }),
    )
    .post(
      "/leftovers",
      async function handback({ request, server }) {
        checkKey({ request, server });
        keepOpen(server, request);
        return Response.json(await second.handback(await readAs(HandbackRequest, request)), { headers: NOT_STORED });
      },
      forStandby(
        "What only this machine has, from when it was the hub",
        {
          description: "What is wanted, or how much of it was new",
          contentType: "application/json",
          schema: HandbackResult,
        },
        true,
      ),
    )
    .post(
      "/hand-over",
      function handOver({ request, server }) {
        const actor = callerOf({ request, server }, "admin");
        second.handOver();
        const address = callers.addressOf(request, server);
        audit.record({ actor, address, action: "standby.hand_over", outcome: "ok" });
        return Response.json({ accepted: true }, { status: 202 });
      },
      {
        parse: "none" as const,
        ...doc({
          access: "public",
          needs: "admin",
          unlimited: true,
          keeps: false,
          summary: "Make the standby the hub, for administrators, and for the standby with its key",
          tag,
          answers: {
            202: {
              description: "This hub stops, and the standby goes on without loss",
              schema: Type.Object({ accepted: Type.Literal(true) }),
            },
          },
          refusals: {
            unauthenticated: "Neither a token nor the key of the house's standby",
            forbidden: "The role is not admin",
            conflict: "It cannot be now; the message says what to do",
            rate_limited: "Too many wrong keys from this address",
          },
        }),
      },
    );
}
