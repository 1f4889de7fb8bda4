// Tokens as an attacker, or a clock, would make them.
import { createHmac, generateKeyPairSync, sign } from "node:crypto";

export interface Forgery {
  alg: "HS256" | "HS384" | "HS512" | "RS256" | "none";
  secret: string;
  claims: Record<string, unknown>;
}

export function forgeToken({ alg, secret, claims }: Forgery): string {
  const content = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  return `${content}.${signature(alg, secret, content)}`;
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

function signature(alg: Forgery["alg"], secret: string, content: string): string {
  if (alg === "none") return "";
  if (alg === "RS256") {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    return sign("sha256", Buffer.from(content), privateKey).toString("base64url");
  }
  return createHmac(`sha${alg.slice(2)}`, secret)
    .update(content)
    .digest("base64url");
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
