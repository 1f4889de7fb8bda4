// What a route says of itself: who may call it, and its page in the OpenAPI document.
import type { TSchema } from "@sinclair/typebox";
import type { Access } from "./resources.ts";

export interface RouteDoc {
  access: Access;
  summary: string;
  tag: string;
  /** Status → what comes back. */
  answers?: Record<number, { description: string; schema?: TSchema; contentType?: string }>;
  tokenInQuery?: boolean;
  streamedBody?: boolean;
}

/** The `detail` of an Elysia route. A route without one stays closed to all but administrators. */
export function doc({ access, summary, tag, answers = {}, tokenInQuery, streamedBody }: RouteDoc) {
  const responses = Object.entries(answers).map(
    ([status, { description, schema, contentType = "application/json" }]) => [
      status,
      { description, ...(schema ? { content: { [contentType]: { schema } } } : {}) },
    ],
  );
  const refusals =
    access === "public" ? [] : [problem(401, "No valid token"), problem(403, `The role ${access} is needed`)];
  return {
    detail: {
      summary,
      tags: [tag],
      responses: Object.fromEntries([...responses, ...refusals]),
      ...(access === "public" ? { security: [] } : {}),
      "x-access": access,
      ...(tokenInQuery ? { "x-token-in-query": true } : {}),
      ...(streamedBody ? { "x-streamed-body": true } : {}),
    },
  };
}

function problem(status: number, description: string) {
  return [
    String(status),
    { description, content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
  ];
}
