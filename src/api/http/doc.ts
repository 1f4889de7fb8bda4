// A route's description: who may call it, and its entry in the OpenAPI document. The errors that all routes of a kind share are
// not repeated there: openapi/refusals.ts adds them.
import { type TSchema, Type } from "@sinclair/typebox";
import type { Keeps } from "../../kit/lifecycle/kept.ts";
import type { ErrorCode } from "../../kit/schema/errors.ts";
import type { Role } from "../../server/auth/roles.ts";
import { type AuditedAct, auditHooks } from "./audit-trail.ts";
import { CONFIRMATION_HEADER } from "./callers.ts";
import type { Access, GuestThing, Scope } from "./resources.ts";

/** Where the OpenAPI document is, under the prefix of the API. */
export const OPENAPI_PATH = "/openapi.json";

/** Error code → when this route answers with it. */
export type Refusals = Partial<Record<ErrorCode, string>>;

/** A value that a handler reads besides the path, the declared query and the declared body. */
export interface ReadElsewhere {
  in: "header" | "query";
  name: string;
  description: string;
  schema: TSchema;
}

export interface DescribedAnswer {
  description: string;
  schema?: TSchema;
  /** `application/json` when absent. */
  contentType?: string;
  /** Other content types of the same answer. */
  alsoAs?: Record<string, TSchema>;
}

export interface RouteDoc {
  access: Access;
  /** What the handler itself asks for, where the door lets more in: a role, or the key of the standby or of the plugin (`key`). */
  needs?: Role | "key";
  /** Only for keys made for this; they open nothing else. */
  scope?: Scope;
  /** Guests may use it as well, for the devices or scenes that an administrator chose for them. */
  guests?: GuestThing;
  /** It gives out or changes what opens the hub, or shows who did what: a whitelisted address needs a token for it as well. */
  needsToken?: boolean;
  /** The callers choose the keys of the query, and may repeat them. */
  anyQuery?: boolean;
  /** Whether it changes something; unless said, all but GET do. */
  acts?: boolean;
  /**
   * Whether what it changes is kept, and is to outlive this machine; unless said, all that `acts` does. Else only what it commands the
   * hub's own devices is; with "rules", also what rules change before it is answered.
   */
  keeps?: Keeps;
  /** A public route that is not in `[server] max_anonymous_requests_per_second`: it costs no more than a refusal, or knows its callers. */
  unlimited?: boolean;
  summary: string;
  tag: string;
  /** By status. */
  answers?: Record<number, DescribedAnswer>;
  /** Errors of this route alone, or this route's reason for a common one. */
  refusals?: Refusals;
  /** When the caller must have given the password again just before; the handler asks `callers.assertConfirmed`. */
  confirmed?: string;
  /** The route creates what its path names, so it never answers 404. */
  makesMissing?: boolean;
  readsElsewhere?: readonly ReadElsewhere[];
  /** A body without a schema. */
  rawBody?: { description: string; contentType: string; required: boolean };
  /** The frames of a WebSocket that is opened here. */
  frames?: TSchema;
  tokenInQuery?: boolean;
  streamedBody?: boolean;
  /** Bytes that the body may have, where it is not `[server] max_body_bytes`. */
  maxBody?: number;
  /** Its action in the audit log. Routes that only read have none, but for those that give out secrets. */
  audit?: string | AuditedAct;
}

/** The `detail` of an Elysia route. A route without one is for administrators only. */
export function doc({
  access,
  needs,
  scope,
  guests,
  needsToken,
  anyQuery,
  acts,
  keeps,
  unlimited,
  summary,
  tag,
  answers = {},
  tokenInQuery,
  streamedBody,
  maxBody,
  audit,
  ...more
}: RouteDoc) {
  const responses = Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)]);
  const security = securityOf(needs ?? access, tokenInQuery);
  const { makesMissing, rawBody, frames, confirmed } = more;
  const { refusals, readsElsewhere } = withConfirmation(confirmed, more);
  const act = typeof audit === "string" ? { action: audit } : audit;
  return {
    detail: {
      summary,
      tags: [tag],
      responses: Object.fromEntries(responses),
      ...(security ? { security } : {}),
      ...(rawBody ? { requestBody: requestBodyOf(rawBody) } : {}),
      "x-access": access,
      ...(needs ? { "x-needs": needs } : {}),
      "x-refusals": refusals,
      ...(scope ? { "x-scope": scope } : {}),
      ...(guests ? { "x-guests": guests } : {}),
      ...(needsToken ? { "x-needs-token": true } : {}),
      ...(anyQuery ? { "x-any-query": true } : {}),
      ...(acts === undefined ? {} : { "x-acts": acts }),
      ...(keeps === undefined ? {} : { "x-keeps": keeps }),
      ...(unlimited ? { "x-unlimited": true } : {}),
      ...(frames ? { "x-frames": frames } : {}),
      ...(makesMissing ? { "x-makes-missing": true } : {}),
      ...(readsElsewhere ? { "x-reads-elsewhere": readsElsewhere } : {}),
      ...(tokenInQuery ? { "x-token-in-query": true } : {}),
      ...(streamedBody ? { "x-streamed-body": true } : {}),
      ...(maxBody === undefined ? {} : { "x-largest-body": maxBody }),
      ...(act ? { "x-audit": act.action } : {}),
    },
    ...(act ? auditHooks(act) : {}),
  };
}

const CONFIRMATION: ReadElsewhere = {
  in: "header",
  name: CONFIRMATION_HEADER,
  description: "What POST /auth/confirm has answered, at most five minutes ago",
  schema: Type.String(),
};

function withConfirmation(confirmed: string | undefined, { refusals = {}, readsElsewhere }: Partial<RouteDoc>) {
  if (confirmed === undefined) return { refusals, readsElsewhere };
  const forbidden = `${confirmed} needs the password again (X-Hub-Confirmation), and not an API key`;
  return {
    refusals: { ...refusals, forbidden: [forbidden, refusals.forbidden].filter(Boolean).join("; ") },
    readsElsewhere: [...(readsElsewhere ?? []), CONFIRMATION],
  };
}

function responseOf({ description, schema, contentType = "application/json", alsoAs = {} }: DescribedAnswer) {
  if (!schema) return { description };
  const content = Object.entries({ [contentType]: schema, ...alsoAs }).map(([type, one]) => [type, { schema: one }]);
  return { description, content: Object.fromEntries(content) };
}

function requestBodyOf({ description, contentType, required }: NonNullable<RouteDoc["rawBody"]>) {
  return { description, required, content: { [contentType]: { schema: {} } } };
}

// Without an entry the document's default applies: the bearer token.
function securityOf(access: string, tokenInQuery = false): Record<string, string[]>[] | undefined {
  if (access === "public") return [];
  return tokenInQuery ? [{ bearer: [] }, { token_in_query: [] }] : undefined;
}
