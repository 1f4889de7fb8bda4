// API keys of homeCore: it keeps only their fingerprints, so each is named with what it could, to be made anew.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Json } from "../../../kit/schema/json.ts";
import type { Role } from "../../../server/auth/roles.ts";
import type { Report } from "../report.ts";

const maybe = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const texts = Type.Optional(Type.Array(Type.String()));

const OldKey = Type.Object({
  label: Type.String(),
  scopes: texts,
  expires_at: maybe,
  revoked_at: maybe,
  allowed_cidrs: texts,
});
type OldKey = Static<typeof OldKey>;

const MAX_NAMED = 100;

/** Those that were withdrawn are not missed. */
export function noteApiKeys(answer: Json, report: Report): void {
  const all = Array.isArray(answer) ? answer : [];
  const keys = all.filter((key): key is OldKey & Json => Value.Check(OldKey, key) && (key.revoked_at ?? "") === "");
  for (const key of keys.slice(0, MAX_NAMED))
    report.add("other", `the API key "${key.label.slice(0, 60)}"`, "left", wordsOf(key));
  const unnamed = all.filter((key) => !Value.Check(OldKey, key)).length + Math.max(0, keys.length - MAX_NAMED);
  if (unnamed > 0) report.add("other", `${unnamed} more API keys`, "left", "make new ones here");
}

function wordsOf({ scopes = [], expires_at: end, allowed_cidrs: addresses = [] }: OldKey): string {
  const had = [
    ...(scopes.length > 0 ? [`the scopes ${scopes.slice(0, 10).join(", ")}${scopes.length > 10 ? ", …" : ""}`] : []),
    ...(typeof end === "string" ? [`an end on ${end.slice(0, 10)}`] : []),
    ...(addresses.length > 0
      ? [`the addresses ${addresses.slice(0, 10).join(", ")}, which keys here cannot be bound to`]
      : []),
  ];
  const before = had.length > 0 ? `it had ${had.join("; ")}. ` : "";
  return `${before}homeCore keeps only its fingerprint: make a new one here, with the role ${roleFor(scopes)}`;
}

/** The least that could do as much. */
function roleFor(scopes: readonly string[]): Role {
  if (scopes.some((scope) => /^\*|admin|^(?:users|plugins|system|api_keys|automations|rules):write/i.test(scope)))
    return "admin";
  return scopes.some((scope) => /write|command|control|activate/i.test(scope)) ? "user" : "viewer";
}
