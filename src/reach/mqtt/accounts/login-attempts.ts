// What surrounds an MQTT login: failed ones count where all logins of the hub count, so that passwords cannot be guessed any
// faster here, and refused ones are reported.
import type { Accounts } from "./accounts.ts";

/** Counts failed logins, by MQTT and by the API together. */
export interface LoginCounter {
  /** Counts an attempt; throws when there were too many. It is a failure unless it succeeds or is withdrawn. */
  begin(address: string, subject: string): { succeed(): void; withdraw(): void };
}

export function limitAttempts(accounts: Accounts, logins: LoginCounter): Accounts {
  return {
    ...accounts,
    authenticate(credentials) {
      const { username, password, address } = credentials;
      if (!username && !password) return accounts.authenticate(credentials);
      // Nobody can lock a plugin out by failing in its name.
      if (username && accounts.isGenerated(username)) return accounts.authenticate(credentials);
      let attempt: ReturnType<LoginCounter["begin"]>;
      try {
        attempt = logins.begin(address, username ?? "");
      } catch {
        return "too_many";
      }
      const found = accounts.authenticate(credentials);
      if (typeof found !== "string") attempt.succeed();
      return found;
    },
  };
}

export interface RefusedLogin {
  username: string | undefined;
  address: string;
  reason: string;
}

const REASONS = {
  wrong_password: "wrong user name or password",
  no_account: "no account was given",
  too_many: "too many failed logins from this address",
} as const;

/** Reports refused logins, for the audit log. */
export function reportRefusals(accounts: Accounts, report: (login: RefusedLogin) => void): Accounts {
  return {
    ...accounts,
    authenticate(credentials) {
      const found = accounts.authenticate(credentials);
      const { username, address } = credentials;
      if (typeof found === "string") report({ username, address, reason: REASONS[found] });
      return found;
    },
  };
}
