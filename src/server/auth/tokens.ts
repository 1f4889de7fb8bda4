// Tokens: signed through @elysiajs/jwt, which is loaded with the first login. Whether a token's user still exists unchanged is
// checked by authenticate.ts.
import { createHmac, timingSafeEqual } from "node:crypto";
import { type RandomBytes, uuid } from "../../kit/schema/ids.ts";
import { isObject, type JsonObject, parseJson } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";

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
  /** Undefined for a token that this hub did not sign, that was changed, or that has expired. From memory, if it was verified before. */
  verify(token: string): TokenClaims | undefined;
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
const MAX_TOKEN = 4096;

export function createTokens({ secret, lifetimeHours, clock, random, capacity = 1000 }: TokenOptions): Tokens {
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
      const { jwt } = await import("@elysiajs/jwt");
      const signer = jwt({ name: "jwt", secret }).decorator.jwt;
      // The library sets `iat` itself, from the system's clock; nothing here depends on it.
      const token = await signer.sign({ sub: id, role, ver, exp, jti: session });
      return { token, expiresIn, claims: { userId: id, ver, expiresAt: exp * 1000, session } };
    },
    verify(token) {
      const known = verified.get(token);
      if (known && clock.now() < known.expiresAt) return known;
      verified.delete(token);
      const claims = token.length > MAX_TOKEN ? undefined : claimsOf(signedPayload(token, secret, clock.now()));
      if (claims) remember(token, claims);
      return claims;
    },
  };
}

function claimsOf(payload: JsonObject | undefined): TokenClaims | undefined {
  const { sub, exp, ver, jti } = payload ?? {};
  if (typeof sub !== "string" || typeof exp !== "number" || typeof ver !== "number") return undefined;
  const session = typeof jti === "string" && jti !== "" ? jti : undefined;
  return { userId: sub, ver, expiresAt: exp * 1000, session };
}

/**
 * The payload of a JWT (RFC 7519) with the algorithm HS256; undefined for any other text. Of the claims, `exp` (which must be there)
 * and `nbf` are checked, against `now` in epoch ms.
 */
function signedPayload(token: string, secret: string, now: number): JsonObject | undefined {
  const [header = "", payload = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !isSigned(`${header}.${payload}`, signature, secret)) return undefined;
  const said = decoded(header);
  // What is critical must be understood, and nothing is.
  if (said?.alg !== "HS256" || said.crit !== undefined) return undefined;
  const claims = decoded(payload);
  if (!claims) return undefined;
  const { exp, nbf = 0 } = claims;
  const seconds = Math.floor(now / 1000);
  return typeof exp === "number" && exp > seconds && typeof nbf === "number" && nbf <= seconds ? claims : undefined;
}

function isSigned(content: string, signature: string, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(content).digest();
  const given = Buffer.from(signature, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function decoded(part: string): JsonObject | undefined {
  const parsed = parseJson(Buffer.from(part, "base64url").toString());
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}
