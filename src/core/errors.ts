// The hub's own refusals. A HubError says what is wrong and what to do about it; anything else that is thrown is a bug.

/** Stable codes. `http/errors.ts` maps each to a status; the text of a message is for people and may change. */
export type ErrorCode =
  /** The request or value is malformed. */
  | "invalid"
  /** No credential, or one that is wrong, expired or withdrawn. */
  | "unauthenticated"
  /** Known, but the role does not allow it. */
  | "forbidden"
  /** No such thing. */
  | "not_found"
  /** The path exists, the method does not. */
  | "method_not_allowed"
  /** The thing exists in a state that does not allow this. */
  | "conflict"
  /** Larger than the hub takes. */
  | "too_large"
  /** A body comes without saying how long it is. */
  | "length_required"
  /** The body is not of a type the hub reads. */
  | "unsupported_media_type"
  /** A WebSocket upgrade is needed here. */
  | "upgrade_required"
  /** Too often; `retryAfterSecs` in the details says when to come back. */
  | "rate_limited"
  /** Something the hub depends on did not answer or refused. */
  | "upstream_failed"
  /** Too busy, or stopping. */
  | "unavailable"
  /** The disk is full or cannot be written. */
  | "storage"
  /** The configuration has problems. */
  | "config"
  /** A port or file is in use by somebody else. */
  | "in_use";

export interface HubErrorOptions {
  /** Extra members for the reader; never a secret. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

export class HubError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: HubErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HubError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`ENOENT`, `EACCES`, `SQLITE_FULL`, …) or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
