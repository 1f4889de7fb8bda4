// Who may do what: each role may do everything the next one may.
import { type Static, Type } from "@sinclair/typebox";

export const Role = Type.Union([Type.Literal("admin"), Type.Literal("user"), Type.Literal("viewer")]);
export type Role = Static<typeof Role>;

const RANK: Record<Role, number> = { viewer: 1, user: 2, admin: 3 };

/** Whether `role` includes the rights of `needed`. */
export function allows(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

/** Whether PINs, the contents of webhooks and MQTT messages, and what rules send are shown; for others they are masked. */
export function seesSecrets(role: Role): boolean {
  return role === "admin";
}

/** A role read from the database; an unknown word gives the fewest rights. */
export function storedRole(text: string): Role {
  return Object.hasOwn(RANK, text) ? (text as Role) : "viewer";
}
