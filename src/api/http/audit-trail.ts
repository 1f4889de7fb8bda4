// Writes what callers of the API do to the audit log. A route only names its action in its doc(); the hooks here do the rest.
import { isProtectiveType } from "../../house/state/protective.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import { masked, maskedUnder } from "../../kit/text/masking.ts";
import type { Audit } from "../../server/auth/audit.ts";
import type { Callers, PeerSource } from "./callers.ts";
import { splitUrl } from "./request-url.ts";

export interface AuditedAct {
  /** Such as `rule.change`. */
  action: string;
  /** Logs the request's body too, with its PINs masked. Only for bodies that may be logged. */
  body?: boolean;
  /** Logs it only where it concerns a device that protects the house. */
  securityOnly?: boolean;
  /** Requests with this flag in the query change nothing and are not logged. */
  unless?: "dry_run";
}

export interface AuditTrail {
  started(request: Request, act: RequestedAct): void;
  succeeded(request: Request, response: unknown): void;
  /** For every request that failed. Logs those of audited routes, and those that the caller's role does not allow. */
  failed(request: Request, error: unknown, path: string): void;
}

interface RequestedAct {
  act: AuditedAct;
  params: Readonly<Record<string, string | undefined>>;
  body?: unknown;
}

export interface AuditTrailDeps {
  audit: Pick<Audit, "record" | "refused">;
  callers: Pick<Callers, "of" | "isKnown" | "addressOf">;
  peers: () => PeerSource | null;
  /** Of a group, those of its devices as well; undefined for an unknown device, or one without a type. */
  deviceType: (id: string) => string | undefined;
  /** Attributes of devices whose values are passwords. */
  passwords: () => ReadonlySet<string>;
}

interface Handled {
  request: Request;
  params?: Record<string, string | undefined>;
  body?: unknown;
  response?: unknown;
  auditTrail?: AuditTrail;
}

/** Keys of a response, in this order, that may name the target. */
const TARGET_KEYS = ["username", "id", "name"];
/** Keys of a response that go into the detail. */
const DETAIL_KEYS = ["name", "label", "role", "username", "enabled"];

export function createAuditTrail({ audit, callers, peers, deviceType, passwords }: AuditTrailDeps): AuditTrail {
  const underWay = new WeakMap<Request, RequestedAct>();
  const isSecurity = (id: unknown): boolean => typeof id === "string" && isProtectiveType(deviceType(id) ?? "");

  function concernsSecurity({ params, body }: RequestedAct, response: unknown): boolean {
    if (isSecurity(params.id)) return true;
    // A PIN is only sent to such devices.
    if (isObject(body)) {
      const names = passwords();
      if (masked(body) !== body || Object.keys(body).some((key) => names.has(key))) return true;
    }
    const { sent, failed } = isObject(response) ? response : {};
    return [sent, failed].flat().some((one) => isObject(one) && isSecurity(one.device_id));
  }

  function take(request: Request, response: unknown): RequestedAct | undefined {
    const requested = underWay.get(request);
    underWay.delete(request);
    return requested?.act.securityOnly && !concernsSecurity(requested, response) ? undefined : requested;
  }

  function callerOf(request: Request) {
    const { kind, id, name } = callers.of(request);
    return { actor: { kind, id, name }, address: callers.addressOf(request, peers()) };
  }

  return {
    started: (request, requested) => void underWay.set(request, requested),
    succeeded(request, response) {
      const requested = take(request, response);
      if (!requested) return;
      const { act, params, body } = requested;
      const entry = {
        ...callerOf(request),
        action: act.action,
        target: targetOf(params) ?? targetIn(response) ?? "",
      };
      audit.record({ ...entry, outcome: "ok", detail: detailOf(maskedUnder(body, passwords()), response) });
    },
    failed(request, error, path) {
      const requested = take(request, undefined);
      if (requested) {
        const { act, params } = requested;
        const entry = { ...callerOf(request), action: act.action, target: targetOf(params) ?? "" };
        if (error instanceof HubError) audit.refused({ ...entry, detail: error.code });
        else audit.record({ ...entry, outcome: "failed", detail: "it went wrong inside the hub" });
      } else if (error instanceof HubError && error.code === "forbidden" && callers.isKnown(request)) {
        const target = `${request.method} ${path}`;
        audit.refused({ ...callerOf(request), action: "request", target, detail: error.code });
      }
    },
  };
}

/** The hooks of an audited route. They destructure only what they read: Elysia parses the body for a hook that names `body`. */
export function auditHooks(act: AuditedAct) {
  const isLogged = ({ url }: Request): boolean =>
    act.unless === undefined || new URLSearchParams(splitUrl(url).query).get(act.unless) !== "true";
  return {
    beforeHandle: act.body
      ? ({ request, params = {}, body, auditTrail }: Handled): void =>
          auditTrail?.started(request, { act, params, body })
      : ({ request, params = {}, auditTrail }: Handled): void => {
          if (isLogged(request)) auditTrail?.started(request, { act, params });
        },
    afterHandle: ({ request, response, auditTrail }: Handled): void => auditTrail?.succeeded(request, response),
  };
}

/** `zigbee`, and `zigbee/permit_join` for an action of that plugin. */
function targetOf({ id, name, action, request }: RequestedAct["params"]): string | undefined {
  const parts = [id ?? name, action ?? request].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join("/") : undefined;
}

function targetIn(response: unknown): string | undefined {
  if (!isObject(response)) return undefined;
  const found = TARGET_KEYS.map((key) => response[key]).find((value) => typeof value === "string");
  return found as string | undefined;
}

function detailOf(body: unknown, response: unknown): string {
  if (body !== undefined) return JSON.stringify(masked(body));
  if (!isObject(response)) return "";
  const logged = DETAIL_KEYS.filter((key) => ["string", "boolean"].includes(typeof response[key]));
  return logged.map((key) => `${key}: ${response[key]}`).join(", ");
}
