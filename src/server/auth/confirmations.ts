// That somebody who is logged in has just given the password again: for what puts programs on the machine, or replaces the house. A
// token that was left open in a browser, or an API key that got lost, is not enough for that.
import { HubError } from "../../kit/schema/errors.ts";
import { type RandomBytes, secret } from "../../kit/schema/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Meta } from "../db/meta.ts";
import type { Identity } from "./authenticate.ts";
import { fingerprintOf } from "./passwords.ts";

export interface Confirmation {
  /** Sent along as the header `X-Hub-Confirmation`. */
  confirmation: string;
  /** Seconds. */
  expiresIn: number;
}

export interface Confirmations {
  /** To be called when the password was right. */
  issue(identity: Identity): Confirmation;
  /** Throws HubError `forbidden`, which says what to do. */
  assert(identity: Identity, confirmation: string | null): void;
}

const LIFETIME_SECS = 300;
const MAX_KEPT = 1000;

/** In memory alone: they end with the hub, and with the account's password. */
export function createConfirmations({ clock, random }: { clock: Clock; random: RandomBytes }): Confirmations {
  // The oldest first.
  const issued = new Map<string, { of: string; until: number }>();
  return {
    issue(identity) {
      const confirmation = secret(random, 32);
      issued.set(confirmation, { of: personOf(identity), until: clock.mono() + LIFETIME_SECS * 1000 });
      const [oldest] = issued.keys();
      if (issued.size > MAX_KEPT && oldest !== undefined) issued.delete(oldest);
      return { confirmation, expiresIn: LIFETIME_SECS };
    },
    assert(identity, confirmation) {
      assertPerson(identity);
      const found = issued.get(confirmation ?? "");
      if (found && found.of === personOf(identity) && clock.mono() < found.until) return;
      throw new HubError(
        "forbidden",
        `this needs your password again${found ? ", as five minutes have passed" : ""}: send it to POST /api/v1/auth/confirm, and what that answers as X-Hub-Confirmation`,
        { details: { confirm: "password" } },
      );
    },
  };
}

/** Throws HubError `forbidden` for who has no password. */
export function assertPerson({ kind }: Identity): void {
  if (kind === "user") return;
  const what = kind === "api_key" ? "an API key is" : "an address is";
  throw new HubError(
    "forbidden",
    `${what} not enough for this: log in with the name and the password of an administrator (POST /api/v1/auth/login), and confirm it with the password (POST /api/v1/auth/confirm)`,
  );
}

function personOf({ id, ver }: Identity): string {
  return `${id} ${ver}`;
}

const UNCONFIRMED_KEY = "unconfirmed_passwords";

/**
 * Passwords that somebody set for an account who had not just given their own. With one of them its user logs in as ever, but confirms
 * nothing: otherwise an API key could make itself a person. In the meta table by their hashes' fingerprints, so that one is forgotten
 * when its account gets another password, wherever that is set.
 */
export interface UnconfirmedPasswords {
  has(passwordHash: string): boolean;
  /** To be called before its account gets it, in the same turn. */
  add(passwordHash: string): void;
}

/** `hashes`: of the passwords of all accounts. */
export function createUnconfirmedPasswords(meta: Meta, hashes: () => string[]): UnconfirmedPasswords {
  const noted = (): string[] => (meta.get(UNCONFIRMED_KEY) ?? "").split(" ");
  return {
    has: (passwordHash) => noted().includes(fingerprintOf(passwordHash)),
    add(passwordHash) {
      const inUse = new Set(hashes().map(fingerprintOf));
      const kept = noted().filter((one) => inUse.has(one));
      meta.set(UNCONFIRMED_KEY, [...new Set([...kept, fingerprintOf(passwordHash)])].join(" "));
    },
  };
}
