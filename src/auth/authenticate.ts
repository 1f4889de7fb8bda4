// Who is asking: a credential and an address become an identity. The check of a token's signature is remembered; roles and
// versions are read from the database, at most 20 ms ago.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { type AddressSet, normalizeAddress } from "./addresses.ts";
import { type ApiKey, type ApiKeys, looksLikeApiKey } from "./api-keys.ts";
import { createGlance } from "./glance.ts";
import type { Role } from "./roles.ts";
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
  whitelist: AddressSet;
  clock: Clock;
}

export function createAuthenticator({ users, apiKeys, tokens, whitelist, clock }: AuthenticatorParts): Authenticator {
  const userById = createGlance(clock, users.byId);
  const unexpired = (expiresAt: number | undefined): boolean => expiresAt === undefined || clock.now() < expiresAt;

  function identityOfToken({ userId, ver, expiresAt }: TokenClaims): Identity {
    const user = userById(userId);
    if (!user || user.ver !== ver) throw refusal();
    return { kind: "user", id: user.id, name: user.username, role: user.role, expiresAt, ver };
  }

  async function verifyToken(token: string): Promise<Identity> {
    const claims = await tokens.verify(token);
    if (!claims) throw refusal();
    return identityOfToken(claims);
  }

  function identifyKey(credential: string): Identity {
    const key = apiKeys.find(credential);
    if (!key || !unexpired(key.expiresAt)) throw refusal();
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
    stillValid({ kind, id, expiresAt, ver }) {
      if (!unexpired(expiresAt)) return false;
      if (kind === "user") return userById(id)?.ver === ver;
      return kind === "whitelist" || apiKeys.byId(id) !== undefined;
    },
  };
}

function identityOfKey({ id, label, role, expiresAt }: ApiKey): Identity {
  return { kind: "api_key", id, name: label, role, expiresAt, ver: undefined };
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
