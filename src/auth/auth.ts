// Who may do what: puts the parts of this room together. Guarding routes and sockets is left to the HTTP part.
import type { Clock } from "../core/clock.ts";
import { type RandomBytes, readablePassword } from "../core/ids.ts";
import { guarded } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import type { StateDb } from "../db/state-db.ts";
import { addressSet, isLoopback } from "./addresses.ts";
import { type ApiKeys, createApiKeys } from "./api-keys.ts";
import type { Audit } from "./audit.ts";
import { auditedLogin } from "./audited-login.ts";
import { type Authenticator, createAuthenticator, type Identity } from "./authenticate.ts";
import type { AuthSection } from "./config.ts";
import { createLogin, type Login } from "./login.ts";
import { createLoginLimit, type LoginLimit } from "./login-limit.ts";
import { type LoginSession, openLoginSessions } from "./login-sessions.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import type { Role } from "./roles.ts";
import { createTokens } from "./tokens.ts";
import { checkUsername, createUsers, type User, type Users } from "./users.ts";

export type { Identity };

export interface AuthOptions {
  config: AuthSection;
  db: StateDb;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  audit: Pick<Audit, "record" | "refused">;
}

export interface Auth extends Disposable {
  /**
   * Who a bearer token or API key stands for. Without one: the whitelisted address, or undefined. Throws HubError
   * `unauthenticated` with `tokenSent` for a bad one, whitelisted or not, so that a mistake shows. Answers (and throws)
   * synchronously for keys and for tokens seen before.
   */
  identify: Authenticator["identify"];
  /** Whether an identity found earlier still stands: not expired, user there and unchanged, key not deleted. */
  stillValid: Authenticator["stillValid"];
  /** Throws HubError: `unauthenticated`, `rate_limited`, `unavailable`. */
  login: Login["login"];
  /** Throws HubError: `forbidden` for a wrong current password, `invalid` for a bad new one, `rate_limited`. */
  changePassword(identity: Identity, current: string, next: string, address?: string): Promise<void>;
  users: UserAccounts;
  apiKeys: Pick<ApiKeys, "list" | "create" | "remove">;
  sessions: SessionAccounts;
  /** With an empty user table: makes `admin` with a password that is not known anywhere else but to whom it is told. */
  ensureAdministrator(tell: (credentials: { username: string; password: string }) => void): Promise<void>;
  /** Where failed logins are counted; other doors with passwords count theirs here too. */
  logins: LoginLimit;
  /** Told after any change that may end sessions, so that open sockets are looked at again. */
  onRevoked(listener: () => void): Disposable;
}

export interface SessionAccounts {
  /** The latest used first; of one user or of all. */
  list(userId?: string): LoginSession[];
  /** Ends its token at once. Throws HubError `not_found`, also for one that is not of `userId`, where that is given. */
  end(id: string, userId?: string): LoginSession;
}

/** All throw HubError: `not_found`, `conflict` (name taken, last administrator), `invalid`. */
export interface UserAccounts {
  list(): User[];
  get(username: string): User | undefined;
  create(user: { username: string; password: string; role: Role }): Promise<User>;
  setRole(username: string, role: Role): User;
  setPassword(username: string, password: string): Promise<User>;
  remove(username: string): void;
}

export function createAuth({ config, db, clock, random, log, audit }: AuthOptions): Auth {
  const now = (): number => clock.now();
  const users = createUsers(db.durable, random, now);
  const apiKeys = createApiKeys(db.durable, random, now);
  const passwords = createPasswords();
  const tokens = createTokens({ secret: config.jwt_secret, lifetimeHours: config.token_lifetime_hours, clock, random });
  const sessions = openLoginSessions({ db, clock, log, endAll: users.endTokens });
  const whitelist = addressSet(config.whitelist);
  const limit = createLoginLimit({ clock, exempt: (address) => isLoopback(address) || whitelist.has(address) });
  const parts = { users, apiKeys, tokens, sessions, whitelist, clock };
  const { identify, stillValid, forget } = createAuthenticator(parts);
  const { login, changePassword } = createLogin({ users, passwords, tokens, limit, sessions });

  const listeners = new Set<() => void>();
  function revoked(): void {
    forget();
    for (const listener of [...listeners]) listener();
  }

  return {
    identify,
    logins: limit,
    stillValid,
    login: auditedLogin(login, { audit, users }),
    async changePassword(identity, current, next, address = "") {
      await changePassword(identity, { current, next, address });
      revoked();
    },
    users: createAccounts(users, passwords, revoked),
    apiKeys: {
      list: apiKeys.list,
      create: apiKeys.create,
      remove(id) {
        apiKeys.remove(id);
        revoked();
      },
    },
    sessions: {
      list: sessions.list,
      end(id, userId) {
        const session = sessions.end(id, userId);
        revoked();
        return session;
      },
    },
    async ensureAdministrator(tell) {
      if (users.count() > 0) return;
      const [username, password] = ["admin", readablePassword(random, 16)];
      const passwordHash = await passwords.hash(password);
      if (users.count() > 0) return;
      // Told before it is stored: a kill in between must not leave an account whose password nobody saw.
      tell({ username, password });
      users.createFirst({ username, passwordHash });
    },
    onRevoked(listener) {
      const call = guarded(log, "revoked", listener);
      listeners.add(call);
      return { [Symbol.dispose]: () => void listeners.delete(call) };
    },
    [Symbol.dispose]: () => sessions[Symbol.dispose](),
  };
}

function createAccounts(users: Users, passwords: Passwords, revoked: () => void): UserAccounts {
  return {
    list: users.list,
    get: users.byName,
    async create({ username, password, role }) {
      // Before the hash is computed: it is costly.
      checkUsername(username);
      return users.create({ username, passwordHash: await passwords.hash(password), role });
    },
    setRole(username, role) {
      const user = users.setRole(username, role);
      revoked();
      return user;
    },
    async setPassword(username, password) {
      const user = users.setPasswordHash(username, await passwords.hash(password));
      revoked();
      return user;
    },
    remove(username) {
      users.remove(username);
      revoked();
    },
  };
}
