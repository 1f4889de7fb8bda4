// The error responses of a route in the OpenAPI document: those that all routes of its kind share (with a role, writing, with a
// body, …) and those it declares itself. The statuses are those of errors.ts.
import type { ErrorCode } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { Refusals } from "../doc.ts";
import { statusOfCode } from "../errors.ts";

/** One operation of the document, with the marks that `doc()` left on it. */
export interface Described {
  method: string;
  operation: JsonObject;
}

const PROBLEM = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
const RETRY_AFTER = { "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } } };

const HEADERS: Partial<Record<ErrorCode, JsonObject>> = {
  unauthenticated: {
    "WWW-Authenticate": {
      description: 'Bearer, with error="invalid_token" for a wrong one',
      schema: { type: "string" },
    },
  },
  upgrade_required: { Upgrade: { description: "websocket", schema: { type: "string" } } },
  rate_limited: RETRY_AFTER,
  unavailable: RETRY_AFTER,
  part_off: RETRY_AFTER,
};

/** The routes that a part of the hub answers which may be off in a safe start, by their tags. */
const TAGS_OF_PARTS = ["rules", "blueprints", "plugins", "notify"];

/** Errors that routes of a kind share. */
const COMMON = {
  invalid: "The address, or a value in the path, the query or the body, is not valid; `problems` names each",
  unauthenticated: "No valid token",
  forbidden: "The caller's role is too low, or the API key is for MCP alone",
  not_found: "There is no such thing",
  length_required: "The body came in chunks, without its Content-Length",
  too_large: "The body is larger than [server] max_body_bytes",
  unsupported_media_type: "The body has a type that this route does not accept",
  rate_limited: "Too many requests without an account from this address, or too many at once on one connection",
  unavailable:
    "Another machine may be the hub of this house by now, or (`part_off`) the part that does this is off in a safe start; nothing was changed",
  unconfirmed:
    'Done and kept here, but not at the other machine yet ([standby] acknowledge = "standby"): do not repeat it. `answered` and `answer` are the status and the JSON that it would have been answered with',
  part_off: "The part that answers this is off in a safe start; `part`, `why`, `remedy` and `next_try` say the rest",
  storage: "The disk is full, or cannot be read or written; nothing was changed",
} satisfies Refusals;

/** `components.responses`: by code, and `internal` for a bug in the hub. */
export function commonResponses(): JsonObject {
  const refusals = Object.entries(COMMON).map(([code, when]) => [code, response(code as ErrorCode, when)]);
  const internal = { description: "A bug in the hub; its log has the details", content: PROBLEM };
  return { ...Object.fromEntries(refusals), internal };
}

/** Status → response, for every error of this operation. */
export function refusalResponses(described: Described): JsonObject {
  const responses: Record<string, Json> = { "500": { $ref: "#/components/responses/internal" } };
  for (const code of kindOf(described)) responses[statusOfCode(code)] = { $ref: `#/components/responses/${code}` };
  const declared = described.operation["x-refusals"];
  for (const [code, when] of Object.entries(isObject(declared) ? declared : {})) {
    const status = String(statusOfCode(code as ErrorCode));
    const before = responses[status];
    const already = isObject(before) && typeof before.description === "string" ? `${before.description}; ` : "";
    responses[status] = response(code as ErrorCode, `${already}${when}`);
  }
  return responses;
}

function kindOf({ method, operation }: Described): (keyof typeof COMMON)[] {
  const access = operation["x-access"];
  const isOpen = access === "public";
  const writes = method !== "get";
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  const acts = operation["x-acts"] ?? writes;
  const names = parameters.some((parameter) => isObject(parameter) && parameter.in === "path");
  const isStreamed = operation["x-streamed-body"] === true;
  const { requestBody } = operation;
  const tags = Array.isArray(operation.tags) ? operation.tags : [];
  const isJson = isObject(requestBody) && isObject(requestBody.content) && "application/json" in requestBody.content;
  return [
    "invalid",
    "rate_limited",
    ...(isOpen ? [] : ["unauthenticated" as const, "forbidden" as const]),
    ...(names && operation["x-makes-missing"] !== true ? ["not_found" as const] : []),
    ...(writes && !isStreamed ? ["length_required" as const, "too_large" as const] : []),
    ...(isJson ? ["unsupported_media_type" as const] : []),
    ...(acts === true ? ["unavailable" as const] : tags.some(isOfAPart) ? ["part_off" as const] : []),
    ...(acts === true ? ["unconfirmed" as const] : []),
    // Checking a credential reads the database too.
    ...(isOpen && !writes ? [] : ["storage" as const]),
  ];
}

function isOfAPart(tag: Json): boolean {
  return TAGS_OF_PARTS.some((one) => one === tag);
}

function response(code: ErrorCode, description: string): JsonObject {
  const headers = HEADERS[code];
  return { description, ...(headers ? { headers } : {}), content: PROBLEM };
}
