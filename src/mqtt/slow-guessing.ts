// Guessing MQTT passwords is as slow as guessing the others: tries are counted where logins are.
import type { Accounts } from "./accounts.ts";

/** Where failed logins are counted, whatever door they come to. */
export interface LoginCounter {
  /** Counts a try; throws when there were too many. One that is neither succeeded nor withdrawn is a failure. */
  begin(address: string, subject: string): { succeed(): void; withdraw(): void };
}

export function slowGuessing(accounts: Accounts, logins: LoginCounter): Accounts {
  return {
    ...accounts,
    authenticate(credentials) {
      const { username, password, address } = credentials;
      if (!username && !password) return accounts.authenticate(credentials);
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
