// API keys of programs that the hub itself runs: in memory alone, one for each program, gone with it.
import { type RandomBytes, secret } from "../../kit/schema/ids.ts";
import { API_KEY_PREFIX } from "./api-keys.ts";
import type { Role } from "./roles.ts";

export interface Borrower {
  /** Such as `plugin:matter`; no stored key has such an id. */
  id: string;
  name: string;
  role: Role;
}

export interface LentKeys {
  /** The key; the borrower's earlier one ends. */
  lend(borrower: Borrower): string;
  takeBack(id: string): void;
  find(key: string): Borrower | undefined;
  isLent(id: string): boolean;
}

export function createLentKeys(random: RandomBytes): LentKeys {
  const borrowers = new Map<string, Borrower>();
  const keys = new Map<string, string>();

  function takeBack(id: string): void {
    const key = keys.get(id);
    if (key !== undefined) borrowers.delete(key);
    keys.delete(id);
  }
  return {
    lend(borrower) {
      takeBack(borrower.id);
      const key = `${API_KEY_PREFIX}${secret(random, 32)}`;
      borrowers.set(key, borrower);
      keys.set(borrower.id, key);
      return key;
    },
    takeBack,
    find: (key) => borrowers.get(key),
    isLent: (id) => keys.has(id),
  };
}
