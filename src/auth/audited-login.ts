// Logins as the audit log has them. A name that is nobody's is not written down: people type passwords there.
import { HubError } from "../core/errors.ts";
import type { Audit } from "./audit.ts";
import type { Login } from "./login.ts";
import type { Users } from "./users.ts";

export const UNKNOWN_ACCOUNT = "(unknown)";

export interface AuditedLoginParts {
  audit: Pick<Audit, "record" | "refused">;
  users: Pick<Users, "byName">;
}

export function auditedLogin(login: Login["login"], { audit, users }: AuditedLoginParts): Login["login"] {
  return async function loginAndTell(username, password, address, userAgent = "") {
    const action = "login";
    try {
      const loggedIn = await login(username, password, address, userAgent);
      const { id, username: name } = loggedIn.user;
      audit.record({
        actor: { kind: "user", id, name },
        address,
        action,
        target: name,
        outcome: "ok",
        detail: userAgent,
      });
      return loggedIn;
    } catch (error) {
      if (error instanceof HubError) {
        const target = users.byName(username)?.username ?? UNKNOWN_ACCOUNT;
        audit.refused({ action, target, address, detail: REASONS[error.code] ?? error.code });
      }
      throw error;
    }
  };
}

const REASONS: Readonly<Record<string, string>> = {
  unauthenticated: "wrong username or password",
  rate_limited: "too many failed logins from this address",
  unavailable: "too many logins at once",
};
