// What a token says, if this hub signed it and it has not expired. Checked at once, unlike by the library that signs: Bun closes a
// connection on which a second request comes while the first one still waits for its answer.
import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, type JsonObject, parseJson } from "../../kit/schema/json.ts";

/**
 * The payload of a JWT (RFC 7519) with the algorithm HS256; undefined for any other text. Of the claims, `exp` (which must be there)
 * and `nbf` are checked, against `now` in epoch ms.
 */
export function signedPayload(token: string, secret: string, now: number): JsonObject | undefined {
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
