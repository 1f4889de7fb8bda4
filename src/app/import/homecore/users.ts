// User accounts. homeCore does not give away password hashes, so each account gets a new password.
import type { Database } from "bun:sqlite";
import type { Platform } from "../../../kit/lifecycle/platform.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { readablePassword } from "../../../kit/schema/ids.ts";
import { createPasswords } from "../../../server/auth/passwords.ts";
import type { Role } from "../../../server/auth/roles.ts";
import { createUsers } from "../../../server/auth/users.ts";
import type { Report } from "../report.ts";
import type { OldUser } from "./shapes.ts";

export interface NewLogin {
  readonly username: string;
  readonly role: Role;
  /** To be shown once. */
  readonly password: string;
}

const ROLES: Readonly<Record<string, Role>> = {
  admin: "admin",
  user: "user",
  device_operator: "user",
  rule_editor: "user",
  service_operator: "user",
};
const SAME_ROLES = ["admin", "user"];
const MAX_USERS = 500;

/** With `dryRun` no passwords are made. */
export async function importUsers(
  db: Database,
  old: readonly OldUser[],
  { report, platform, dryRun }: { report: Report; platform: Platform; dryRun: boolean },
): Promise<NewLogin[]> {
  const users = createUsers(db, platform.random, platform.clock.now);
  const passwords = createPasswords();
  const made: NewLogin[] = [];

  async function add(username: string, role: Role): Promise<void> {
    const password = readablePassword(platform.random, 16);
    // A hash costs a tenth of a second on a small computer.
    const passwordHash = dryRun ? "none" : await passwords.hash(password);
    users.create({ username, passwordHash, role });
    made.push({ username, role, password });
  }

  for (const { username, role: oldRole } of old.slice(0, MAX_USERS)) {
    const role = ROLES[oldRole] ?? "viewer";
    const present = users.byName(username);
    if (present) {
      report.add("user", username, "there", present.role === role ? undefined : `with the role ${present.role}`);
      continue;
    }
    try {
      await add(username, role);
      const changed = SAME_ROLES.includes(oldRole) ? "" : ` and the role ${role} (there: ${oldRole})`;
      report.add("user", username, "changed", `with a new password${changed}`);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      report.add("user", username, "left", error.message);
    }
  }
  if (old.length > MAX_USERS) report.add("user", `${old.length - MAX_USERS} more`, "left", `no more than ${MAX_USERS}`);
  // A hub makes its first administrator only while nobody has an account.
  if (made.length > 0 && !users.list().some(({ role }) => role === "admin")) {
    await add(users.byName("admin") ? "administrator" : "admin", "admin");
    report.add(
      "user",
      made.at(-1)?.username ?? "admin",
      "changed",
      "made, because none of the others is an administrator",
    );
  }
  return dryRun ? [] : made;
}
