// Tells who was not let in, for the audit log.
import type { Accounts } from "./accounts.ts";

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

export function tellingRefusals(accounts: Accounts, refused: (login: RefusedLogin) => void): Accounts {
  return {
    ...accounts,
    authenticate(credentials) {
      const found = accounts.authenticate(credentials);
      const { username, address } = credentials;
      if (typeof found === "string") refused({ username, address, reason: REASONS[found] });
      return found;
    },
  };
}
