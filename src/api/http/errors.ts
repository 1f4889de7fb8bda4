// Every error as RFC 9457 problem+json, and the one table from the hub's error codes to HTTP statuses.
import type { ValueError } from "@sinclair/typebox/value";
import { isStorageFault, STORAGE_TEXTS, type StorageFault, storageFaultOf } from "../../kit/files/storage-fault.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { type ErrorCode, HubError, messageOf } from "../../kit/schema/errors.ts";
import { describeError, firstPerPath, type Problem } from "../../kit/schema/schema.ts";
import { splitUrl } from "./request-url.ts";

// Of the statuses below. That of node:http would load all of node:http.
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  411: "Length Required",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  426: "Upgrade Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage",
};

const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  length_required: 411,
  too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limited: 429,
  upstream_failed: 502,
  unavailable: 503,
  part_off: 503,
  unconfirmed: 504,
  storage: 507,
  config: 500,
  in_use: 409,
};

export function statusOfCode(code: ErrorCode): number {
  return STATUS[code];
}

/** The answer for an error. `path` is the request's, without its query, which may hold a token. */
export function problemResponse(error: Pick<HubError, "code" | "message" | "details">, path: string): Response {
  const status = statusOfCode(error.code);
  const { retryAfterSecs, allow, tokenSent, ...details } = error.details;
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  if (status === 401) headers.set("www-authenticate", tokenSent ? 'Bearer error="invalid_token"' : "Bearer");
  if (typeof allow === "string") headers.set("allow", allow);
  if (status === 426) headers.set("upgrade", "websocket");
  if (status === 429 || status === 503) headers.set("retry-after", String(retryAfterSecs ?? 5));
  const body = {
    type: "about:blank",
    title: TITLES[status] ?? "Error",
    status,
    code: error.code,
    detail: error.message,
    error: error.message,
    instance: path,
    ...details,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** Ends the connection: Bun drops what else was received on it. Made without an error, whose stack would take longest. */
export function refusalOfFlood({ url }: Request, reason: string, retryAfterSecs: number): Response {
  const message = `${reason}: try again in ${retryAfterSecs} s`;
  const response = problemResponse({ code: "rate_limited", message, details: { retryAfterSecs } }, splitUrl(url).path);
  response.headers.set("connection", "close");
  return response;
}

interface FrameworkFault {
  code: string | number;
  error: unknown;
}

export interface FaultContext {
  log: Log;
  /** Of the request, without its query. */
  path: string;
  /** Reports a failed write; returns what is wrong with the disk now. */
  storageFault: (error: unknown) => StorageFault | undefined;
}

/** Any thrown error as a HubError; undefined for a bug, which is logged here and becomes a 500. */
export function toHubError(
  { code, error }: FrameworkFault,
  { log, path, storageFault }: FaultContext,
): HubError | undefined {
  if (error instanceof HubError) return error;
  if (code === "VALIDATION") return invalid(problemsOf(error as ValidationFault));
  if (code === "PARSE") return refusalBehind(error) ?? new HubError("invalid", "the body is not valid JSON");
  if (code === "NOT_FOUND") return new HubError("not_found", "there is nothing at this address");
  if (isStorageFault(error)) {
    log.error("a request failed: the disk cannot be written", { path, error: messageOf(error) });
    const fault = storageFault(error) ?? storageFaultOf(error) ?? "failing";
    const { what, mend } = STORAGE_TEXTS[fault];
    return new HubError("storage", `${what}; nothing was changed: ${mend}`, { details: { fault } });
  }
  log.error("a request failed", {
    path,
    error: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  return undefined;
}

// Elysia wraps the error of a body parser.
function refusalBehind(error: unknown): HubError | undefined {
  return error instanceof Error && error.cause instanceof HubError ? error.cause : undefined;
}

export function invalid(problems: Problem[]): HubError {
  const text = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return new HubError("invalid", text || "the request is not valid", { details: { problems } });
}

export function bugResponse(path: string): Response {
  const detail = "something went wrong inside the hub; its log says what";
  const body = {
    type: "about:blank",
    title: TITLES[500],
    status: 500,
    code: "internal",
    detail,
    error: detail,
    instance: path,
  };
  return new Response(JSON.stringify(body), { status: 500, headers: { "content-type": "application/problem+json" } });
}

interface ValidationFault {
  /** What was checked: `body`, `query`, `params`, or `property` where a query value could not be read as a number. */
  type?: string;
  value?: unknown;
  validator?: { Errors?: (value: unknown) => Iterable<ValueError> };
  /** The first error; the only one where a query value could not be read. */
  valueError?: ValueError;
}

// Elysia's own message repeats the rejected value, passwords included. This one describes the schema only.
function problemsOf({ validator, value, type, valueError }: ValidationFault): Problem[] {
  const errors = validator?.Errors ? [...validator.Errors(value)] : valueError ? [valueError] : [];
  const problems = firstPerPath(errors.flatMap((error) => describeError(error, "")));
  if (problems.length > 0) return problems.slice(0, 20);
  return [{ path: "", message: type === "body" ? "a JSON object is needed as the body" : "the query is not valid" }];
}
