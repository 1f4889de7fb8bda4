// Who is asking: turns a credential and an address into an identity. A token's verified signature is remembered; users are
// read from the database, and a row that was read is used for 20 ms.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { type AddressSet, normalizeAddress } from "./addresses.ts";
import { type ApiKey, type ApiKeys, looksLikeApiKey } from "./api-keys.ts";
import type { LoginSessions } from "./login-sessions.ts";
import { allows, type Role } from "./roles.ts";
import type { TokenClaims, Tokens } from "./tokens.ts";
import type { Users } from "./users.ts";

export interface Identity {
  kind: "user" | "api_key" | "whitelist";
  /** The user's or key's id, or the address. */
  id: string;
  /** The username, the key's label, or the address. */
  name: string;
  role: Role;
  /** Epoch ms. */
  expiresAt: number | undefined;
  /** The user's version; undefined for keys and addresses. */
  ver: number | undefined;
  /** The login behind a token; absent for keys, addresses and tokens issued before there were sessions. */
  session?: string;
  /** The id of the user who made a key; absent where no user made it. */
  owner?: string;
}

export interface Authenticator {
  identify(credential: string | undefined, address: string): Identity | undefined | Promise<Identity | undefined>;
  stillValid(identity: Identity): boolean;
  /** To be called after this process changed a user: drops the cached rows. */
  forgetUsers(): void;
}

export interface AuthenticatorOptions {
  users: Users;
  apiKeys: ApiKeys;
  tokens: Tokens;
  sessions: Pick<LoginSessions, "isEnded" | "used">;
  whitelist: AddressSet;
  clock: Clock;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { users, apiKeys, tokens, sessions, whitelist, clock } = options;
  const cachedUsers = new RowCache(clock, users.byId);
  const unexpired = (expiresAt: number | undefined): boolean => expiresAt === undefined || clock.now() < expiresAt;

  function identityOfToken({ session, ...claims }: TokenClaims): Identity {
    const { userId, ver, expiresAt } = claims;
    const user = cachedUsers.get(userId);
    if (!user || user.ver !== ver) throw refusal();
    const identity = { kind: "user", id: user.id, name: user.username, role: user.role, expiresAt, ver } as const;
    if (session === undefined) return identity;
    if (sessions.isEnded(session)) throw refusal();
    sessions.used({ ...claims, session });
    return { ...identity, session };
  }

  /** Only administrators make keys, so a key ends when its owner is removed or demoted, whatever the key's own role. */
  function ownerIsAdmin({ owner }: Pick<ApiKey, "owner">): boolean {
    if (owner === undefined) return true;
    const user = cachedUsers.get(owner);
    return user !== undefined && allows(user.role, "admin");
  }

  async function verifyToken(token: string): Promise<Identity> {
    const claims = await tokens.verify(token);
    if (!claims) throw refusal();
    return identityOfToken(claims);
  }

  function identifyKey(credential: string): Identity {
    const key = apiKeys.find(credential);
    if (!key || !unexpired(key.expiresAt) || !ownerIsAdmin(key)) throw refusal();
    return identityOfKey(key);
  }

  return {
    forgetUsers: () => cachedUsers.clear(),
    identify(credential, address) {
      if (credential === undefined) return whitelist.has(address) ? identityOfAddress(address) : undefined;
      if (looksLikeApiKey(credential)) return identifyKey(credential);
      const claims = tokens.recall(credential);
      return claims ? identityOfToken(claims) : verifyToken(credential);
    },
    stillValid({ kind, id, expiresAt, ver, session }) {
      if (!unexpired(expiresAt)) return false;
      if (kind === "whitelist") return true;
      if (kind === "user") {
        return cachedUsers.get(id)?.ver === ver && !(session !== undefined && sessions.isEnded(session));
      }
      const key = apiKeys.byId(id);
      return key !== undefined && ownerIsAdmin(key);
    },
  };
}

/** Another process (`hub passwd`) may change a row, so what was read is used for this long only. */
const ROW_CACHE_MS = 20;

/** Rows that were read a moment ago: reading one from SQLite takes longer than the rest of a request's check. */
class RowCache<T> {
  readonly #clock: Clock;
  readonly #read: (id: string) => T | undefined;
  readonly #rows = new Map<string, T | undefined>();
  #since = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, read: (id: string) => T | undefined) {
    this.#clock = clock;
    this.#read = read;
  }

  get(id: string): T | undefined {
    const now = this.#clock.mono();
    if (now - this.#since > ROW_CACHE_MS) {
      this.#rows.clear();
      this.#since = now;
    }
    if (!this.#rows.has(id)) this.#rows.set(id, this.#read(id));
    return this.#rows.get(id);
  }

  clear(): void {
    this.#rows.clear();
  }
}

function identityOfKey({ id, label, role, expiresAt, owner }: ApiKey): Identity {
  const identity = { kind: "api_key", id, name: label, role, expiresAt, ver: undefined } as const;
  return owner === undefined ? identity : { ...identity, owner };
}

function identityOfAddress(address: string): Identity {
  const name = normalizeAddress(address);
  return { kind: "whitelist", id: name, name, role: "admin", expiresAt: undefined, ver: undefined };
}

// One answer for every reason: a stranger learns nothing, and the remedy is the same.
function refusal(): HubError {
  return new HubError("unauthenticated", "the token or API key is wrong, expired or withdrawn: log in again", {
    details: { tokenSent: true },
  });
}
