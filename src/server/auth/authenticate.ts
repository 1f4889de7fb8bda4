// Who is asking: turns a credential and an address into an identity. A token's verified signature is remembered; users are
// read from the database, and a row that was read is used for 20 ms.

import { HubError } from "../../kit/schema/errors.ts";
import { type AddressSet, normalizeAddress } from "../../kit/text/addresses.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { type ApiKey, type ApiKeys, looksLikeApiKey } from "./api-keys.ts";
import type { Borrower, LentKeys } from "./lent-keys.ts";
import type { LoginSessions } from "./login-sessions.ts";
import type { McpScope } from "./mcp-scope.ts";
import { allows, type Role } from "./roles.ts";
import { RowCache } from "./row-cache.ts";
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
  /** What a key for MCP may see and do; such a key opens /mcp only, and others do not open it. */
  mcp?: McpScope;
}

export interface Authenticator {
  identify(credential: string | undefined, address: string): Identity | undefined;
  stillValid(identity: Identity): boolean;
  /** To be called after this process changed a user: drops the cached rows. */
  forgetUsers(): void;
}

export interface AuthenticatorOptions {
  users: Users;
  apiKeys: ApiKeys;
  lentKeys: Pick<LentKeys, "find" | "isLent">;
  tokens: Pick<Tokens, "verify">;
  sessions: Pick<LoginSessions, "isEnded" | "used">;
  whitelist: AddressSet;
  clock: Clock;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { users, apiKeys, lentKeys, tokens, sessions, whitelist, clock } = options;
  const cachedUsers = new RowCache(clock, users.byId);
  const unexpired = (expiresAt: number | undefined): boolean => expiresAt === undefined || clock.now() < expiresAt;

  function identityOfToken(claims: TokenClaims): Identity {
    const { userId, ver, expiresAt } = claims;
    const user = cachedUsers.get(userId);
    if (!user || user.ver !== ver) throw refusal();
    const identity: Identity = { kind: "user", id: user.id, name: user.username, role: user.role, expiresAt, ver };
    if (!hasSession(claims)) return identity;
    if (sessions.isEnded(claims.session)) throw refusal();
    sessions.used(claims);
    identity.session = claims.session;
    return identity;
  }

  /** Only administrators make keys, so a key ends when its owner is removed or demoted, whatever the key's own role. */
  function ownerIsAdmin({ owner }: Pick<ApiKey, "owner">): boolean {
    if (owner === undefined) return true;
    const user = cachedUsers.get(owner);
    return user !== undefined && allows(user.role, "admin");
  }

  function identifyKey(credential: string): Identity {
    const borrower = lentKeys.find(credential);
    if (borrower) return identityOfBorrower(borrower);
    const key = apiKeys.find(credential);
    if (!key || !unexpired(key.expiresAt) || !ownerIsAdmin(key)) throw refusal();
    return identityOfKey(key);
  }

  return {
    forgetUsers: () => cachedUsers.clear(),
    identify(credential, address) {
      if (credential === undefined) return whitelist.has(address) ? identityOfAddress(address) : undefined;
      if (looksLikeApiKey(credential)) return identifyKey(credential);
      const claims = tokens.verify(credential);
      if (!claims) throw refusal();
      return identityOfToken(claims);
    },
    stillValid({ kind, id, expiresAt, ver, session }) {
      if (!unexpired(expiresAt)) return false;
      if (kind === "whitelist") return true;
      if (kind === "user") {
        return cachedUsers.get(id)?.ver === ver && !(session !== undefined && sessions.isEnded(session));
      }
      if (lentKeys.isLent(id)) return true;
      const key = apiKeys.byId(id);
      return key !== undefined && ownerIsAdmin(key);
    },
  };
}

function hasSession(claims: TokenClaims): claims is TokenClaims & { session: string } {
  return claims.session !== undefined;
}

function identityOfKey({ id, label, role, expiresAt, owner, mcp }: ApiKey): Identity {
  const identity = { kind: "api_key", id, name: label, role, expiresAt, ver: undefined } as const;
  return { ...identity, ...(owner !== undefined && { owner }), ...(mcp && { mcp }) };
}

function identityOfBorrower({ id, name, role }: Borrower): Identity {
  return { kind: "api_key", id, name, role, expiresAt: undefined, ver: undefined };
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
