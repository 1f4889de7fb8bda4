// Who is asking: a credential and an address become an identity. The check of a token's signature is remembered; roles and
// versions are read from the database, at most 20 ms ago.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { type AddressSet, normalizeAddress } from "./addresses.ts";
import { type ApiKey, type ApiKeys, looksLikeApiKey } from "./api-keys.ts";
import { createGlance } from "./glance.ts";
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
  /** The login behind a token; absent for keys, addresses and tokens from before there were sessions. */
  session?: string;
  /** The id of the user who made a key; absent where that was none. */
  owner?: string;
}

export interface Authenticator {
  identify(credential: string | undefined, address: string): Identity | undefined | Promise<Identity | undefined>;
  stillValid(identity: Identity): boolean;
  /** A user was changed by this process: what was read of users no longer counts. */
  forget(): void;
}

export interface AuthenticatorParts {
  users: Users;
  apiKeys: ApiKeys;
  tokens: Tokens;
  sessions: Pick<LoginSessions, "isEnded" | "used">;
  whitelist: AddressSet;
  clock: Clock;
}

export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { users, apiKeys, tokens, sessions, whitelist, clock } = parts;
  const userById = createGlance(clock, users.byId);
  const unexpired = (expiresAt: number | undefined): boolean => expiresAt === undefined || clock.now() < expiresAt;

  function identityOfToken({ session, ...claims }: TokenClaims): Identity {
    const { userId, ver, expiresAt } = claims;
    const user = userById(userId);
    if (!user || user.ver !== ver) throw refusal();
    const identity = { kind: "user", id: user.id, name: user.username, role: user.role, expiresAt, ver } as const;
    if (session === undefined) return identity;
    if (sessions.isEnded(session)) throw refusal();
    sessions.used({ ...claims, session });
    return { ...identity, session };
  }

  /** Only administrators make keys: one that its owner could not make today is over, whatever its own role. */
  function hasItsOwner({ owner }: Pick<ApiKey, "owner">): boolean {
    if (owner === undefined) return true;
    const user = userById(owner);
    return user !== undefined && allows(user.role, "admin");
  }

  async function verifyToken(token: string): Promise<Identity> {
    const claims = await tokens.verify(token);
    if (!claims) throw refusal();
    return identityOfToken(claims);
  }

  function identifyKey(credential: string): Identity {
    const key = apiKeys.find(credential);
    if (!key || !unexpired(key.expiresAt) || !hasItsOwner(key)) throw refusal();
    return identityOfKey(key);
  }

  return {
    forget: userById.forget,
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
        return userById(id)?.ver === ver && !(session !== undefined && sessions.isEnded(session));
      }
      const key = apiKeys.byId(id);
      return key !== undefined && hasItsOwner(key);
    },
  };
}

function identityOfKey({ id, label, role, expiresAt, owner }: ApiKey): Identity {
  const identity = { kind: "api_key", id, name: label, role, expiresAt, ver: undefined } as const;
  return owner === undefined ? identity : { ...identity, owner };
}

function identityOfAddress(address: string): Identity {
  const name = normalizeAddress(address);
  return { kind: "whitelist", id: name, name, role: "admin", expiresAt: undefined, ver: undefined };
}

// One answer for every reason: a stranger learns nothing, and the mend is the same.
function refusal(): HubError {
  return new HubError("unauthenticated", "the token or API key is wrong, expired or withdrawn: log in again", {
    details: { tokenSent: true },
  });
}
