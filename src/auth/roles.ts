// Who may do what: each role may do everything the next one may.
import { type Static, Type } from "@sinclair/typebox";

export const Role = Type.Union([Type.Literal("admin"), Type.Literal("user"), Type.Literal("viewer")]);
export type Role = Static<typeof Role>;

const RANK: Record<Role, number> = { viewer: 1, user: 2, admin: 3 };

/** Whether somebody with `role` may do what asks for `needed`. */
export function allows(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

/** Whether PINs, what webhooks and MQTT carried, and what rules send are shown; to others they are masked. */
export function seesSecrets(role: Role): boolean {
  return role === "admin";
}

/** A role as it stands in the database; a word this hub does not know gives the least. */
export function storedRole(text: string): Role {
  return Object.hasOwn(RANK, text) ? (text as Role) : "viewer";
}
