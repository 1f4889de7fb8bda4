// What a route says of itself: who may call it, and its page in the OpenAPI document. What every route of its kind
// refuses is not repeated there: refusals.ts works it out.
import type { TSchema } from "@sinclair/typebox";
import type { ErrorCode } from "../core/errors.ts";
import { type AuditedAct, auditHooks } from "./audit-trail.ts";
import type { Access } from "./resources.ts";

/** Code → when this route refuses so. */
export type Refusals = Partial<Record<ErrorCode, string>>;

/** What a handler reads besides the path, the declared query and the declared body. */
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
  /** Other types it can come as. */
  alsoAs?: Record<string, TSchema>;
}

export interface RouteDoc {
  access: Access;
  summary: string;
  tag: string;
  /** Status → what comes back. */
  answers?: Record<number, DescribedAnswer>;
  /** Refusals of this route alone, or why it refuses what others refuse as well. */
  refusals?: Refusals;
  /** What the path names is made where it is not there, so that it is never missing. */
  makesMissing?: boolean;
  readsElsewhere?: readonly ReadElsewhere[];
  /** A body that no schema checks. */
  rawBody?: { description: string; contentType: string; required: boolean };
  /** What goes out over a WebSocket that begins here. */
  frames?: TSchema;
  tokenInQuery?: boolean;
  streamedBody?: boolean;
  /** What this is called in the audit log; what only reads has no place there. */
  audit?: string | AuditedAct;
}

/** The `detail` of an Elysia route. A route without one stays closed to all but administrators. */
export function doc({ access, summary, tag, answers = {}, tokenInQuery, streamedBody, audit, ...more }: RouteDoc) {
  const responses = Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)]);
  const security = securityOf(access, tokenInQuery);
  const { refusals = {}, makesMissing, readsElsewhere, rawBody, frames } = more;
  const act = typeof audit === "string" ? { action: audit } : audit;
  return {
    detail: {
      summary,
      tags: [tag],
      responses: Object.fromEntries(responses),
      ...(security ? { security } : {}),
      ...(rawBody ? { requestBody: requestBodyOf(rawBody) } : {}),
      "x-access": access,
      "x-refusals": refusals,
      ...(frames ? { "x-frames": frames } : {}),
      ...(makesMissing ? { "x-makes-missing": true } : {}),
      ...(readsElsewhere ? { "x-reads-elsewhere": readsElsewhere } : {}),
      ...(tokenInQuery ? { "x-token-in-query": true } : {}),
      ...(streamedBody ? { "x-streamed-body": true } : {}),
      ...(act ? { "x-audit": act.action } : {}),
    },
    ...(act ? auditHooks(act) : {}),
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

// Where nothing is said, the document's own rule holds: the bearer token.
function securityOf(access: Access, tokenInQuery = false): Record<string, string[]>[] | undefined {
  if (access === "public") return [];
  return tokenInQuery ? [{ bearer: [] }, { token_in_query: [] }] : undefined;
}
