// Tokens: signed and verified through @elysiajs/jwt. Whether a token's user still exists unchanged is checked by
// authenticate.ts.
import { jwt } from "@elysiajs/jwt";
import type { Clock } from "../core/clock.ts";
import { type RandomBytes, uuid } from "../core/ids.ts";

export interface TokenClaims {
  userId: string;
  ver: number;
  /** Epoch ms. */
  expiresAt: number;
  /** The login it came from; undefined in tokens of hubs before 0005-people.sql. */
  session: string | undefined;
}

export interface IssuedToken {
  token: string;
  claims: TokenClaims & { session: string };
  /** Seconds. */
  expiresIn: number;
}

export interface Tokens {
  /** Of a new session, or another one of a session there is. */
  issue(user: { id: string; role: string; ver: number }, session?: string): Promise<IssuedToken>;
  /** The claims of a token that was verified before and has not expired, from memory. */
  recall(token: string): TokenClaims | undefined;
  /** Undefined for a token that this hub did not sign, that was changed, or that has expired. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

export interface TokenOptions {
  secret: string;
  lifetimeHours: number;
  clock: Clock;
  random: RandomBytes;
  /** How many verified tokens are remembered. */
  capacity?: number;
}

// Ours have about 300 characters.
const LONGEST_TOKEN = 4096;

export function createTokens({ secret, lifetimeHours, clock, random, capacity = 1000 }: TokenOptions): Tokens {
  const signer = jwt({ name: "jwt", secret }).decorator.jwt;
  const expiresIn = Math.max(1, Math.round(lifetimeHours * 3600));
  const verified = new Map<string, TokenClaims>();

  function remember(token: string, claims: TokenClaims): void {
    const oldest = verified.size >= capacity ? verified.keys().next().value : undefined;
    if (oldest !== undefined) verified.delete(oldest);
    verified.set(token, claims);
  }

  return {
    async issue({ id, role, ver }, session = uuid(random)) {
      const exp = Math.floor(clock.now() / 1000) + expiresIn;
      // The library sets `iat` itself, from the system's clock; nothing here depends on it.
      const token = await signer.sign({ sub: id, role, ver, exp, jti: session });
      return { token, expiresIn, claims: { userId: id, ver, expiresAt: exp * 1000, session } };
    },
    recall(token) {
      const claims = verified.get(token);
      if (!claims || clock.now() < claims.expiresAt) return claims;
      verified.delete(token);
      return undefined;
    },
    async verify(token) {
      if (token.length > LONGEST_TOKEN) return undefined;
      const payload = await signer.verify(token, {
        algorithms: ["HS256"],
        requiredClaims: ["sub", "exp", "ver"],
        currentDate: new Date(clock.now()),
      });
      if (!payload) return undefined;
      const { sub, exp, ver, jti } = payload;
      if (typeof sub !== "string" || typeof exp !== "number" || typeof ver !== "number") return undefined;
      const session = typeof jti === "string" && jti !== "" ? jti : undefined;
      const claims: TokenClaims = { userId: sub, ver, expiresAt: exp * 1000, session };
      remember(token, claims);
      return claims;
    },
  };
}
