// Passwords against accounts: login, changing one's own password, and setting one from the command line.
import type { Edge } from "../core/edge.ts";
import { HubError } from "../core/errors.ts";
import type { StateDb } from "../db/state-db.ts";
import type { Identity } from "./authenticate.ts";
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

export interface LoginParts {
  users: Users;
  passwords: Passwords;
  tokens: Tokens;
  limit: LoginLimit;
  sessions: Pick<LoginSessions, "begin">;
}

export interface Login {
  login(username: string, password: string, address: string, userAgent?: string): Promise<LoggedIn>;
  changePassword(identity: Identity, change: PasswordChange): Promise<void>;
}

export function createLogin({ users, passwords, tokens, limit, sessions }: LoginParts): Login {
  /** The user whose password this is, or undefined; counted against the address. */
  async function prove(username: string, password: string, address: string): Promise<User | undefined> {
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

  return {
    async login(username, password, address, userAgent = "") {
      const user = await prove(username, password, address);
      if (!user) throw new HubError("unauthenticated", "wrong username or password");
      const { id, role } = user;
      const { token, expiresIn, claims } = await tokens.issue(user);
      sessions.begin(claims, { address, userAgent });
      return { token, expiresIn, user: { id, username: user.username, role } };
    },
    async changePassword(identity, { current, next, address }) {
      if (identity.kind !== "user")
        throw new HubError("forbidden", "only a user who logged in has a password to change");
      // First, so that a new password that is refused costs no try.
      checkPassword(next);
      const user = await prove(identity.name, current, address);
      if (user?.id !== identity.id) throw new HubError("forbidden", "the current password is wrong");
      const hash = await passwords.hash(next);
      // `hub passwd` or an administrator may have been faster while the hash was computed, and is to win.
      if (users.byId(user.id)?.ver !== user.ver) throw new HubError("conflict", "the account was changed meanwhile");
      users.setPasswordHash(user.username, hash);
    },
  };
}

/**
 * Sets a password in the database of a stopped or running hub; all tokens of that user end. A user who does not exist is
 * made, as an administrator. Throws HubError `invalid`.
 */
export async function resetPassword(
  db: StateDb,
  username: string,
  password: string,
  { clock, random }: Pick<Edge, "clock" | "random">,
): Promise<{ created: boolean }> {
  const users = createUsers(db.durable, random, () => clock.now());
  const passwordHash = await createPasswords().hash(password);
  const created = users.byName(username) === undefined;
  if (created) users.create({ username, passwordHash, role: "admin" });
  else users.setPasswordHash(username, passwordHash);
  return { created };
}
