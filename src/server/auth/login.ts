// Passwords of accounts: logging in (each login is written to the audit log), changing one's own password, and setting one
// from the command line.

import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { StateDb } from "../db/state-db.ts";
import { type Audit, UNKNOWN_ACCOUNT } from "./audit.ts";
import type { Identity } from "./authenticate.ts";
import { assertPerson, type UnconfirmedPasswords } from "./confirmations.ts";
import type { LoginLimit } from "./login-limit.ts";
import type { LoginSessions } from "./login-sessions.ts";
import { checkPassword, createPasswords, type Passwords } from "./passwords.ts";
import type { Role } from "./roles.ts";
import type { Tokens } from "./tokens.ts";
import { createUsers, type User, type Users } from "./users.ts";

export interface LoggedIn {
  token: string;
  /** Seconds. */
  expiresIn: number;
  user: { id: string; username: string; role: Role };
}

export interface PasswordChange {
  current: string;
  next: string;
  /** Where the request comes from; wrong passwords count against it. */
  address: string;
}

export interface LoginOptions {
  users: Users;
  passwords: Passwords;
  unconfirmed: UnconfirmedPasswords;
  tokens: Tokens;
  limit: LoginLimit;
  sessions: Pick<LoginSessions, "begin" | "renewed" | "isEnded">;
  audit: Pick<Audit, "record" | "refused">;
}

export interface Login {
  login(username: string, password: string, address: string, userAgent?: string): Promise<LoggedIn>;
  renew(identity: Identity): Promise<LoggedIn>;
  /** Throws HubError `forbidden` where it is not the caller's password. */
  verify(identity: Identity, password: string, address: string): Promise<void>;
  changePassword(identity: Identity, change: PasswordChange): Promise<void>;
}

export function createLogin(options: LoginOptions): Login {
  const { users, passwords, unconfirmed, tokens, limit, sessions, audit } = options;

  /** The user with this name and password, or undefined; a failure counts against the address. */
  async function verifyUser(username: string, password: string, address: string): Promise<User | undefined> {
    const attempt = limit.begin(address, username);
    try {
      const hash = users.passwordHash(username);
      const same = await passwords.verify(password, hash);
      // Read again: the password may have been changed, or the user removed, while the hash was computed.
      const user = same && users.passwordHash(username) === hash ? users.byName(username) : undefined;
      if (user) attempt.succeed();
      return user;
    } catch (error) {
      attempt.withdraw();
      throw error;
    }
  }

  async function logIn(username: string, password: string, from: { address: string; userAgent: string }) {
    const user = await verifyUser(username, password, from.address);
    if (!user) throw new HubError("unauthenticated", "wrong username or password");
    const { token, expiresIn, claims } = await tokens.issue(user);
    sessions.begin(claims, from);
    return { token, expiresIn, user: { id: user.id, username: user.username, role: user.role } };
  }

  return {
    async login(username, password, address, userAgent = "") {
      try {
        const loggedIn = await logIn(username, password, { address, userAgent });
        const { id, username: name } = loggedIn.user;
        const actor = { kind: "user", id, name };
        audit.record({ actor, address, action: "login", target: name, outcome: "ok", detail: userAgent });
        return loggedIn;
      } catch (error) {
        if (error instanceof HubError) {
          const target = users.byName(username)?.username ?? UNKNOWN_ACCOUNT;
          audit.refused({ action: "login", target, address, detail: AUDIT_REASONS[error.code] ?? error.code });
        }
        throw error;
      }
    },
    async renew({ id, ver, session }) {
      if (session === undefined) throw new HubError("forbidden", "only a login can be renewed: log in again");
      const user = users.byId(id);
      const issued = user?.ver === ver && user ? await tokens.issue(user, session) : undefined;
      // It may have been ended while the token was signed.
      if (!user || !issued || sessions.isEnded(session))
        throw new HubError("unauthenticated", "the session has ended: log in again");
      sessions.renewed(issued.claims);
      const { token, expiresIn } = issued;
      return { token, expiresIn, user: { id: user.id, username: user.username, role: user.role } };
    },
    async verify(identity, password, address) {
      assertPerson(identity);
      const user = await verifyUser(identity.name, password, address);
      if (user?.id !== identity.id) throw new HubError("forbidden", "the password is wrong");
    },
    async changePassword(identity, { current, next, address }) {
      if (identity.kind !== "user")
        throw new HubError("forbidden", "only a user who logged in has a password to change");
      // First, so that a new password that is not accepted does not count as a try.
      checkPassword(next);
      const user = await verifyUser(identity.name, current, address);
      if (user?.id !== identity.id) throw new HubError("forbidden", "the current password is wrong");
      const isUnconfirmed = unconfirmed.has(users.passwordHash(user.username) ?? "");
      const hash = await passwords.hash(next);
      // `hub passwd` or an administrator may have changed it while the hash was computed, and that change wins.
      if (users.byId(user.id)?.ver !== user.ver) throw new HubError("conflict", "the account was changed meanwhile");
      // It stays what it was: to know a password is not to have got it from somebody who may give it.
      if (isUnconfirmed) unconfirmed.add(hash);
      users.setPasswordHash(user.username, hash);
    },
  };
}

const AUDIT_REASONS: Readonly<Record<string, string>> = {
  unauthenticated: "wrong username or password",
  rate_limited: "too many failed logins from this address",
  unavailable: "too many logins at once",
};

/**
 * Sets a password in the database of a stopped or running hub; all tokens of that user end. Creates an administrator where
 * there is no such user. Throws HubError `invalid`.
 */
export async function resetPassword(
  db: StateDb,
  username: string,
  password: string,
  { clock, random }: Pick<Platform, "clock" | "random">,
): Promise<{ created: boolean }> {
  const users = createUsers(db.durable, random, () => clock.now());
  const passwordHash = await createPasswords().hash(password);
  const created = users.byName(username) === undefined;
  if (created) users.create({ username, passwordHash, role: "admin" });
  else users.setPasswordHash(username, passwordHash);
  return { created };
}
