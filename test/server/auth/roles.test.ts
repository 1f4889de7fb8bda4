import { expect, test } from "bun:test";
import { allows, storedRole } from "../../../src/server/auth/roles.ts";

test("each role may do what the lesser ones may", () => {
  const roles = ["viewer", "user", "admin"] as const;
  for (const [rank, role] of roles.entries()) {
    expect(roles.filter((needed) => allows(role, needed))).toEqual(roles.slice(0, rank + 1));
  }
});

test("a role nobody knows is the least", () => {
  for (const text of ["root", "", "toString", "__proto__"]) expect(storedRole(text)).toBe("viewer");
  expect(storedRole("admin")).toBe("admin");
});
