// Device accounts in a state database of their own.
import { randomBytes } from "node:crypto";
import type { Account } from "../../../../src/reach/mqtt/accounts/accounts.ts";
import {
  type DeviceAccounts,
  type NewDeviceAccount,
  openDeviceAccounts,
} from "../../../../src/reach/mqtt/accounts/device-accounts.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

export const NOW = Date.UTC(2026, 0, 15);

export function createAccountRig({ taken = new Map<string, string>(), prefix = "hub" } = {}) {
  const folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  const open = () => {
    const db = openTestState(path, () => NOW);
    const accounts = openDeviceAccounts({
      ...{ db, random: randomBytes, now: () => NOW, taken, prefix },
      discovery: "homeassistant",
    });
    return { db, accounts, [Symbol.dispose]: () => db[Symbol.dispose]() };
  };
  const first = open();
  return {
    db: first.db,
    accounts: first.accounts as DeviceAccounts,
    /** The same file, as another process has it. */
    openAgain: open,
    /** Makes one and returns it as a login finds it. */
    made(account: NewDeviceAccount): Account {
      first.accounts.create(account);
      const found = first.accounts.find(account.name);
      if (!found) throw new Error(`${account.name} is not found`);
      return found.account;
    },
    [Symbol.dispose]() {
      first[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}
