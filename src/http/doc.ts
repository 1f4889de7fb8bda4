// What a route says of itself: who may call it, and its page in the OpenAPI document.
import type { TSchema } from "@sinclair/typebox";
import { type AuditedAct, auditHooks } from "./audit-trail.ts";
import type { Access } from "./guard.ts";

export interface RouteDoc {
  access: Access;
  summary: string;
  tag: string;
  /** Status → what comes back. */
  answers?: Record<number, { description: string; schema?: TSchema; contentType?: string }>;
  tokenInQuery?: boolean;
  streamedBody?: boolean;
  /** What this is called in the audit log; what only reads has no place there. */
  audit?: string | AuditedAct;
}

/** The `detail` of an Elysia route. A route without one stays closed to all but administrators. */
export function doc({ access, summary, tag, answers = {}, tokenInQuery, streamedBody, audit }: RouteDoc) {
  const responses = Object.entries(answers).map(
    ([status, { description, schema, contentType = "application/json" }]) => [
      status,
      { description, ...(schema ? { content: { [contentType]: { schema } } } : {}) },
    ],
  );
  const refusals =
    access === "public" ? [] : [problem(401, "No valid token"), problem(403, `The role ${access} is needed`)];
  const act = typeof audit === "string" ? { action: audit } : audit;
  return {
    detail: {
      summary,
      tags: [tag],
      responses: Object.fromEntries([...responses, ...refusals]),
      ...(access === "public" ? { security: [] } : {}),
      "x-access": access,
      ...(tokenInQuery ? { "x-token-in-query": true } : {}),
      ...(streamedBody ? { "x-streamed-body": true } : {}),
      ...(act ? { "x-audit": act.action } : {}),
    },
    ...(act ? auditHooks(act) : {}),
  };
}

function problem(status: number, description: string) {
  return [
    String(status),
    { description, content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
  ];
}
