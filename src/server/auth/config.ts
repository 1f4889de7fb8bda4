// [auth]: the secret that signs tokens, how long tokens last, and which addresses need none.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";
import { parseRange } from "../../kit/text/addresses.ts";

export const AuthSection = Type.Object(
  {
    jwt_secret: Type.String({
      minLength: 32,
      secret: true,
      pattern: "^(?!\\s*<[^<>]*>\\s*$)",
      problem:
        "must be a random text of at least 32 characters that nobody else knows; make one with: openssl rand -base64 48",
      description:
        "Signs every token; changing it ends all of them. HS256 needs 32 bytes, which 32 characters always have.",
    }),
    token_lifetime_hours: Type.Number({
      exclusiveMinimum: 0,
      maximum: 8760,
      default: 24,
      expected: "a number of hours above 0, at most 8760 (one year)",
    }),
    audit_rows: Type.Integer({
      minimum: 100,
      maximum: 1_000_000,
      default: 10_000,
      description: "Rows of the audit log in the state database, at most a kilobyte or so each; the oldest go first.",
    }),
    whitelist: Type.Array(Type.String(), {
      default: [],
      expected: "a list of addresses or CIDR ranges",
      description: "Addresses or CIDR ranges that are administrators without a token.",
    }),
  },
  { additionalProperties: false },
);
export type AuthSection = Static<typeof AuthSection>;

/** What the schema cannot check: whitelist entries that are not addresses, or that let everybody in. */
export function authProblems({ whitelist }: Pick<AuthSection, "whitelist">): Problem[] {
  return whitelist.flatMap((entry, index): Problem[] => {
    const path = `auth.whitelist[${index}]`;
    const range = parseRange(entry);
    if (!range) {
      const example = 'write an address or a CIDR range, such as "192.168.1.20" or "fd00::/8"';
      return [{ path, message: `"${entry}" is neither: ${example}` }];
    }
    if (range[1] > 0) return [];
    return [{ path, message: `"${entry}" makes everybody who reaches the hub an administrator`, warning: true }];
  });
}
