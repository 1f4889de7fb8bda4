// Passwords that somebody set for an account who had not just given their own: an API key, or a token that was left open. With one of
// them its user logs in as ever, but confirms nothing (confirmations.ts): otherwise a key could make itself a person. In the meta table
// by their hashes' fingerprints, so that one is forgotten when its account gets another password, wherever that is set.
import type { Meta } from "../db/meta.ts";
import { fingerprintOf } from "./passwords.ts";

const KEY = "unconfirmed_passwords";

export interface UnconfirmedPasswords {
  has(passwordHash: string): boolean;
  /** To be called before its account gets it. */
  add(passwordHash: string): void;
}

/** `hashes`: of the passwords of all accounts. */
export function createUnconfirmedPasswords(meta: Meta, hashes: () => string[]): UnconfirmedPasswords {
  const noted = (): string[] => (meta.get(KEY) ?? "").split(" ");
  return {
    has: (passwordHash) => noted().includes(fingerprintOf(passwordHash)),
    add(passwordHash) {
      const inUse = new Set(hashes().map(fingerprintOf));
      const kept = noted().filter((one) => inUse.has(one));
      meta.set(KEY, [...new Set([...kept, fingerprintOf(passwordHash)])].join(" "));
    },
  };
}
