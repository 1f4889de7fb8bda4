// Accounts and credentials: who a request comes from, logins, users, API keys. Protecting routes and sockets is left to the
// HTTP room.

import { guarded } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { type RandomBytes, readablePassword } from "../../kit/schema/ids.ts";
import { type AddressSet, addressSet } from "../../kit/text/addresses.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { createMeta, type Meta } from "../db/meta.ts";
import type { StateDb } from "../db/state-db.ts";
import { type ApiKeys, createApiKeys } from "./api-keys.ts";
import type { Audit } from "./audit.ts";
import { type Authenticator, createAuthenticator, type Identity } from "./authenticate.ts";
import type { AuthSection } from "./config.ts";
import {
  type Confirmation,
  type Confirmations,
  createConfirmations,
  createUnconfirmedPasswords,
  type UnconfirmedPasswords,
} from "./confirmations.ts";
import { type Borrower, createLentKeys, type LentKeys } from "./lent-keys.ts";
import { createLogin, type LoggedIn, type Login } from "./login.ts";
import { createLoginLimit, type LoginLimit } from "./login-limit.ts";
import { type LoginSession, LoginSessions } from "./login-sessions.ts";
import { createPasswords, fingerprintOf, type Passwords } from "./passwords.ts";
import type { Role } from "./roles.ts";
import { RowCache } from "./row-cache.ts";
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
  /** Addresses of this machine, where plugins run. */
  own: AddressSet;
}

export interface SessionAccounts {
  /** The latest used first; of one user or of all. */
  list(userId?: string): LoginSession[];
  /** Ends its token at once. Throws HubError `not_found`, also for a session that does not belong to the given `userId`. */
  end(id: string, userId?: string): LoginSession;
}

/** Who changes an account. One whose password or rights came from somebody unconfirmed cannot confirm anything itself. */
export interface ChangedBy {
  /** They have just given their password. */
  isConfirmed: boolean;
}

/** All throw HubError: `not_found`, `conflict` (name taken, last administrator), `invalid`. */
export interface UserAccounts {
  list(): User[];
  get(username: string): User | undefined;
  create(user: { username: string; password: string; role: Role }, by?: ChangedBy): Promise<User>;
  setRole(username: string, role: Role, by?: ChangedBy): User;
  setPassword(username: string, password: string, by?: ChangedBy): Promise<User>;
  remove(username: string): void;
}

/** In the meta table: the SHA-256 of the first administrator's password hash. It fits no longer once that password is changed. */
const FIRST_PASSWORD = "first_password";

export class Auth implements Disposable {
  readonly users: UserAccounts;
  readonly apiKeys: Pick<ApiKeys, "list" | "create" | "remove">;
  readonly sessions: SessionAccounts;
  /** Where failed logins are counted; MQTT logins count here too. */
  readonly logins: LoginLimit;

  readonly #users: Users;
  readonly #passwords: Passwords;
  readonly #meta: Meta;
  readonly #sessions: LoginSessions;
  readonly #lentKeys: LentKeys;
  readonly #authenticator: Authenticator;
  /** By username. */
  readonly #initialPasswords: RowCache<boolean>;
  readonly #login: Login;
  readonly #confirmations: Confirmations;
  readonly #unconfirmed: UnconfirmedPasswords;
  readonly #random: RandomBytes;
  readonly #log: Log;
  readonly #listeners = new Set<() => void>();

  constructor({ config, db, clock, random, log, audit, own }: AuthOptions) {
    this.#random = random;
    this.#log = log;
    const now = (): number => clock.now();
    const users = createUsers(db.durable, random, now);
    const apiKeys = createApiKeys(db.durable, random, now);
    const passwords = createPasswords();
    const lifetimeHours = config.token_lifetime_hours;
    const tokens = createTokens({ secret: config.jwt_secret, lifetimeHours, clock, random });
    const sessions = new LoginSessions({ db, clock, log, endAll: users.endTokens });
    const whitelist = addressSet(config.whitelist);
    const limit = createLoginLimit({ clock, exempt: (address) => whitelist.has(address) && !own.has(address) });
    this.#users = users;
    this.#passwords = passwords;
    this.#meta = createMeta(db);
    this.#sessions = sessions;
    this.#lentKeys = createLentKeys(random);
    this.#authenticator = createAuthenticator({
      users,
      apiKeys,
      lentKeys: this.#lentKeys,
      tokens,
      sessions,
      whitelist,
      clock,
    });
    this.#unconfirmed = createUnconfirmedPasswords(this.#meta, users.passwordHashes);
    const unconfirmed = this.#unconfirmed;
    this.#login = createLogin({ users, passwords, unconfirmed, tokens, limit, sessions, audit });
    this.#confirmations = createConfirmations({ clock, random });
    this.#initialPasswords = new RowCache(clock, (username) => this.#readInitialPassword(username));
    this.logins = limit;
    const revoked = (): void => this.#revoked();
    this.users = createAccounts({ users, passwords, unconfirmed, revoked });
    this.apiKeys = {
      list: apiKeys.list,
      create: apiKeys.create,
      remove(id) {
        apiKeys.remove(id);
        revoked();
      },
    };
    this.sessions = {
      list: (userId) => sessions.list(userId),
      end(id, userId) {
        const session = sessions.end(id, userId);
        revoked();
        return session;
      },
    };
  }

  /**
   * Whose a bearer token or API key is. Without a credential: the whitelisted address, or undefined. Throws HubError
   * `unauthenticated` with `tokenSent` for a wrong credential, from a whitelisted address too, so that a mistake shows.
   */
  identify(credential: string | undefined, address: string): Identity | undefined {
    return this.#authenticator.identify(credential, address);
  }

  /** Whether an identity found earlier is still valid: not expired, the user there and unchanged, the key not deleted. */
  stillValid(identity: Identity): boolean {
    return this.#authenticator.stillValid(identity);
  }

  /** An API key for a program that the hub runs, until it is taken back. */
  lend(borrower: Borrower): string {
    return this.#lentKeys.lend(borrower);
  }

  /** Ends its requests and streams at once. */
  takeBack(id: string): void {
    if (!this.#lentKeys.isLent(id)) return;
    this.#lentKeys.takeBack(id);
    this.#revoked();
  }

  /** Throws HubError: `unauthenticated`, `rate_limited`, `unavailable`. */
  login(username: string, password: string, address: string, userAgent?: string): Promise<LoggedIn> {
    return this.#login.login(username, password, address, userAgent);
  }

  /** A fresh token of the same session. Throws HubError: `forbidden` for who did not log in, `unauthenticated`. */
  renew(identity: Identity): Promise<LoggedIn> {
    return this.#login.renew(identity);
  }

  /** Throws HubError: `forbidden` for a wrong current password, `invalid` for a bad new one, `rate_limited`. */
  async changePassword(identity: Identity, current: string, next: string, address = ""): Promise<void> {
    await this.#login.changePassword(identity, { current, next, address });
    this.#revoked();
  }

  /**
   * For a caller who gives the password again. Throws HubError: `forbidden` for a wrong one, one that nobody confirmed, and for API
   * keys; `rate_limited`.
   */
  async confirm(identity: Identity, password: string, address = ""): Promise<Confirmation> {
    await this.#login.verify(identity, password, address);
    this.#assertConfirmedPassword(identity.name);
    return this.#confirmations.issue(identity);
  }

  /** Throws HubError `forbidden`, which says what to do, where the caller has not just given the password again. */
  assertConfirmed(identity: Identity, confirmation: string | null): void {
    this.#confirmations.assert(identity, confirmation);
  }

  /** Throws HubError, as `assertConfirmed`, for a confirmation that is wrong; false where there is none. */
  isConfirmed(identity: Identity, confirmation: string | null): boolean {
    if (confirmation === null) return false;
    this.#confirmations.assert(identity, confirmation);
    return true;
  }

  /** Whether a user still has the password that was printed at the first start. */
  hasInitialPassword(username: string): boolean {
    return this.#initialPasswords.get(username);
  }

  /** Creates the user `admin` if there are no users. `show` gets its password, which is kept nowhere else. */
  async ensureAdministrator(show: (credentials: { username: string; password: string }) => void): Promise<void> {
    if (this.#users.count() > 0) return;
    const [username, password] = ["admin", readablePassword(this.#random, 16)];
    const passwordHash = await this.#passwords.hash(password);
    if (this.#users.count() > 0) return;
    // Shown before it is stored: a kill in between must not leave an account whose password nobody saw.
    show({ username, password });
    this.#meta.set(FIRST_PASSWORD, fingerprintOf(passwordHash));
    this.#users.createFirst({ username, passwordHash });
  }

  /** Called after any change that may end sessions, so that open sockets are checked again. */
  onRevoked(listener: () => void): Disposable {
    const call = guarded(this.#log, "revoked", listener);
    this.#listeners.add(call);
    return { [Symbol.dispose]: () => void this.#listeners.delete(call) };
  }

  [Symbol.dispose](): void {
    this.#sessions[Symbol.dispose]();
  }

  #readInitialPassword(username: string): boolean {
    const hash = this.#users.passwordHash(username);
    return hash !== undefined && this.#meta.get(FIRST_PASSWORD) === fingerprintOf(hash);
  }

  #assertConfirmedPassword(username: string): void {
    const hash = this.#users.passwordHash(username);
    if (hash !== undefined && !this.#unconfirmed.has(hash)) return;
    throw new HubError(
      "forbidden",
      `the account ${username} got its password or its role from somebody who had not confirmed it with theirs: an administrator who has to gives it a password again on the page (System, People), or \`hub passwd ${username}\` on this machine does`,
    );
  }

  #revoked(): void {
    this.#authenticator.forgetUsers();
    this.#initialPasswords.clear();
    for (const listener of [...this.#listeners]) listener();
  }
}

interface AccountsOptions {
  users: Users;
  passwords: Passwords;
  unconfirmed: UnconfirmedPasswords;
  revoked: () => void;
}

const UNCONFIRMED: ChangedBy = { isConfirmed: false };

function createAccounts({ users, passwords, unconfirmed, revoked }: AccountsOptions): UserAccounts {
  /** `give` in the same turn as the note: what no account has yet is forgotten with the next one. */
  async function givePassword(
    password: string,
    { isConfirmed }: ChangedBy,
    give: (hash: string) => User,
  ): Promise<User> {
    const hash = await passwords.hash(password);
    if (!isConfirmed) unconfirmed.add(hash);
    return give(hash);
  }

  return {
    list: users.list,
    get: users.byName,
    async create({ username, password, role }, by = UNCONFIRMED) {
      // Checked before the hash is computed, which is expensive.
      checkUsername(username);
      return givePassword(password, by, (passwordHash) => users.create({ username, passwordHash, role }));
    },
    setRole(username, role, { isConfirmed } = UNCONFIRMED) {
      const hash = users.passwordHash(username);
      if (role === "admin" && !isConfirmed && hash !== undefined && users.byName(username)?.role !== role)
        unconfirmed.add(hash);
      const user = users.setRole(username, role);
      revoked();
      return user;
    },
    async setPassword(username, password, by = UNCONFIRMED) {
      const user = await givePassword(password, by, (hash) => users.setPasswordHash(username, hash));
      revoked();
      return user;
    },
    remove(username) {
      users.remove(username);
      revoked();
    },
  };
}
