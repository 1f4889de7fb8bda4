// Errors that the hub reports to its users. A HubError says what is wrong and what to do about it; any other error is a bug.

/** Stable codes. `api/http/errors.ts` maps each to a status; the text of a message is for people and may change. */
export type ErrorCode =
  /** The request or value is malformed. */
  | "invalid"
  /** No credential, or one that is wrong, expired or revoked. */
  | "unauthenticated"
  /** The user is known, but the role does not allow it. */
  | "forbidden"
  /** No such thing. */
  | "not_found"
  /** The path exists, the method does not. */
  | "method_not_allowed"
  /** It exists, but its state does not allow this. */
  | "conflict"
  /** Larger than the hub accepts. */
  | "too_large"
  /** A body without its length. */
  | "length_required"
  /** A body of a type that the hub does not read. */
  | "unsupported_media_type"
  /** Only a WebSocket upgrade is possible here. */
  | "upgrade_required"
  /** Too many requests; `retryAfterSecs` in the details says when to try again. */
  | "rate_limited"
  /** Another service did not answer, or refused. */
  | "upstream_failed"
  /** Too busy, or stopping. */
  | "unavailable"
  /** It was done and is kept here, but the other machine of the house does not have it yet. */
  | "unconfirmed"
  /** The part of the hub that would answer is off in a safe start; `part`, `why` and `remedy` are in the details. */
  | "part_off"
  /** The disk is full or cannot be written. */
  | "storage"
  /** The configuration has problems. */
  | "config"
  /** A port or file is in use by another process. */
  | "in_use";

export interface HubErrorOptions {
  /** Further members of the answer; never a secret. */
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

/** For messages: how a person restarts the hub. */
export const RESTART_THE_HUB = "restart the hub (`sudo systemctl restart hub`, or stop it and run `hub serve` again)";

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`ENOENT`, `EACCES`, `SQLITE_FULL`, …) or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
