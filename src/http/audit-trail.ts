// What people do over the API goes into the audit log from here alone: a route says in its doc() what it is called there,
// and that is all it knows of it.
import type { Audit } from "../auth/audit.ts";
import { HubError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { masked } from "../core/masking.ts";
import type { PeerSource, Sessions } from "./session.ts";

export interface AuditedAct {
  /** What it is called: `rule.change`. */
  action: string;
  /** What a command asks for is told too; only where this body may go into the log, with its PINs masked. */
  body?: boolean;
  /** Only where it moves what guards the house. */
  guardedOnly?: boolean;
}

export interface AuditTrail {
  begun(request: Request, asked: Asked): void;
  done(request: Request, response: unknown): void;
  /** For any request that was refused or went wrong: those of audited routes, and what somebody's role does not allow. */
  refused(request: Request, error: unknown, path: string): void;
}

interface Asked {
  act: AuditedAct;
  params: Readonly<Record<string, string | undefined>>;
  body?: unknown;
}

export interface AuditTrailDeps {
  audit: Pick<Audit, "record" | "refused">;
  sessions: Pick<Sessions, "of" | "isKnown" | "addressOf">;
  peers: () => PeerSource | null;
  /** The type of a device, where there is one. */
  deviceType: (id: string) => string | undefined;
}

interface Handled {
  request: Request;
  params?: Record<string, string | undefined>;
  body?: unknown;
  response?: unknown;
  auditTrail?: AuditTrail;
}

/** Words in the types of devices that guard a house. */
const GUARDS = /(^|[^a-z])(lock|alarm|siren|garage|gate|safe|security)([^a-z]|$)/i;
const NAMES = ["username", "id", "name"];
const TOLD = ["name", "label", "role", "username", "enabled"];

export function createAuditTrail({ audit, sessions, peers, deviceType }: AuditTrailDeps): AuditTrail {
  const begun = new WeakMap<Request, Asked>();
  const isGuard = (id: unknown): boolean => typeof id === "string" && GUARDS.test(deviceType(id) ?? "");

  function concernsGuard({ params, body }: Asked, response: unknown): boolean {
    if (isGuard(params.id)) return true;
    // A PIN is for nothing else.
    if (isObject(body) && masked(body) !== body) return true;
    const { sent, failed } = isObject(response) ? response : {};
    return [sent, failed].flat().some((one) => isObject(one) && isGuard(one.device_id));
  }

  function take(request: Request, response: unknown): Asked | undefined {
    const asked = begun.get(request);
    begun.delete(request);
    return asked?.act.guardedOnly && !concernsGuard(asked, response) ? undefined : asked;
  }

  function from(request: Request) {
    const { kind, id, name } = sessions.of(request);
    return { actor: { kind, id, name }, address: sessions.addressOf(request, peers()) };
  }

  return {
    begun: (request, asked) => void begun.set(request, asked),
    done(request, response) {
      const asked = take(request, response);
      if (!asked) return;
      const { act, params, body } = asked;
      const target = params.id ?? params.name ?? nameIn(response) ?? "";
      audit.record({ ...from(request), action: act.action, target, outcome: "ok", detail: detailOf(body, response) });
    },
    refused(request, error, path) {
      const asked = take(request, undefined);
      if (asked) {
        const { act, params } = asked;
        const about = { ...from(request), action: act.action, target: params.id ?? params.name ?? "" };
        if (error instanceof HubError) audit.refused({ ...about, detail: error.code });
        else audit.record({ ...about, outcome: "failed", detail: "it went wrong inside the hub" });
      } else if (error instanceof HubError && error.code === "forbidden" && sessions.isKnown(request)) {
        audit.refused({ ...from(request), action: "request", target: `${request.method} ${path}`, detail: error.code });
      }
    },
  };
}

/** The hooks of a route that is audited. They name just what they read: Elysia would parse bodies for one that does not. */
export function auditHooks(act: AuditedAct) {
  return {
    beforeHandle: act.body
      ? ({ request, params = {}, body, auditTrail }: Handled): void => auditTrail?.begun(request, { act, params, body })
      : ({ request, params = {}, auditTrail }: Handled): void => auditTrail?.begun(request, { act, params }),
    afterHandle: ({ request, response, auditTrail }: Handled): void => auditTrail?.done(request, response),
  };
}

function nameIn(response: unknown): string | undefined {
  if (!isObject(response)) return undefined;
  const found = NAMES.map((key) => response[key]).find((value) => typeof value === "string");
  return found as string | undefined;
}

function detailOf(body: unknown, response: unknown): string {
  if (body !== undefined) return JSON.stringify(masked(body));
  if (!isObject(response)) return "";
  const told = TOLD.filter((key) => ["string", "boolean"].includes(typeof response[key]));
  return told.map((key) => `${key}: ${response[key]}`).join(", ");
}
